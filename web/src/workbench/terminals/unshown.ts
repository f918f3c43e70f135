// A terminal that is taken from where it was shown is not visible, until it is shown elsewhere.
//
// The workbench forgets that: a tab that another one covers, or a terminal that leaves the panel, stays marked as
// visible. When its emulator comes only then (it is loaded with the first terminal), the workbench draws it into
// nothing, fails, and the terminal shows nothing for good.
import type { ITerminalInstance } from '../core/upstream'

export function hideWhenTaken(instance: ITerminalInstance): void {
  const take = instance.detachFromElement.bind(instance)
  instance.detachFromElement = () => {
    instance.setVisible(false)
    take()
  }
}
