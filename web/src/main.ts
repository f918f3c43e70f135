// Boot: connect to the space, then show the workbench over it.
import { Space } from './protocol/space'
import { atOpening, updateUiState, type UiScope } from './protocol/user-data'
import { strings } from './strings'
import { heldKeys } from './workbench/core/held-keys'

/** Two frames of a page that is looked at, on a machine that has much else to do. */
const MOST_FRAMES_MS = 2_000
/** The same in the background, where they may not come. */
const MOST_HIDDEN_FRAMES_MS = 150

const boot = document.getElementById('boot') as HTMLElement
const text = document.getElementById('boot-text') as HTMLElement

/** What was opened is on screen. Browsers draw nothing in the background, so it is not waited for for long there. */
async function drawn(): Promise<void> {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const late = new Promise((resolve) => setTimeout(resolve, document.hidden ? MOST_HIDDEN_FRAMES_MS : MOST_FRAMES_MS))
  await Promise.race([nextFrame().then(nextFrame), late])
}

/** Say why there is no workbench, with a way to try again. */
function explain(message: string): void {
  heldKeys.giveUp()
  text.textContent = message
  offer(strings.boot.again, () => location.reload())
}

function offer(label: string, act: () => void): void {
  const button = document.createElement('button')
  button.textContent = label
  button.onclick = act
  boot.append(button)
}

/** What was remembered may be what keeps the page from opening. */
async function forget(): Promise<void> {
  const scopes: Partial<Record<UiScope, Record<string, string>>> = await atOpening().ui
  for (const [scope, values] of Object.entries(scopes)) {
    await updateUiState(scope as UiScope, {}, Object.keys(values))
  }
  location.reload()
}

async function open(): Promise<void> {
  text.textContent = strings.boot.opening
  const space = new Space()
  // Whoever needs it says what is wrong with it.
  for (const asked of Object.values(atOpening())) asked.catch(() => undefined)
  space.onConnection.on((state) => {
    if (state.is === 'refused' && !boot.hidden) explain(strings.boot.refused)
  })
  // Until everything is where it was, a key would be for nothing, or for something else than the person means.
  const startTheRest = await heldKeys.during(async () => {
    const [welcome, { startWorkbench }] = await Promise.all([space.start(), import('./workbench/start')])
    document.title = `${welcome.workspace.name} - ${strings.product}`
    return startWorkbench(document.getElementById('workbench') as HTMLElement, space, welcome)
  })
  await drawn()
  boot.hidden = true
  const { dataset } = document.documentElement
  dataset.openspace = 'ready'
  await startTheRest()
  dataset.openspaceRest = 'ready'
}

open().catch((error: unknown) => {
  console.error(error)
  explain(strings.boot.failed(error instanceof Error ? error.message : String(error)))
  const hint = document.createElement('p')
  hint.textContent = strings.boot.forgets
  offer(strings.boot.forget, () => void forget().catch((why: unknown) => (hint.textContent = String(why))))
  boot.append(hint)
})
