// The person's clipboard is not for programs: what an agent prints into a terminal would read it, or put a line into
// it that the person pastes elsewhere. The emulator lets both be asked for by an operating system command, which goes
// nowhere here.
import type { ITerminalInstance } from '../core/upstream'

type Screen = NonNullable<ITerminalInstance['xterm']>['raw']

/** The number of the command that asks for the clipboard. */
const CLIPBOARD = 52

export function keepClipboard(screen: Screen): { dispose(): void } {
  const take = () => screen.parser.registerOscHandler(CLIPBOARD, () => true)
  let own = take()
  const load = screen.loadAddon.bind(screen)
  // Who is registered last is asked first, and the workbench's own comes when it has been fetched.
  screen.loadAddon = (addon) => {
    load(addon)
    own.dispose()
    own = take()
  }
  return { dispose: () => own.dispose() }
}
