// What a person types while something is on its way that is to get it: kept from whatever has the keyboard now,
// and handed to what takes it then. Never given to anything that cannot be typed in, nor back to what had it.
//
// The browser itself types into a text area that nobody sees, so accents, input methods and pasting work. Keys that
// are no text stand between the texts, in the order in which they were pressed.
import { getService, ICodeEditorService } from '@codingame/monaco-vscode-api'
import { strings } from '../../strings'
import { HELD_KEYS } from './typing'

/** What a view may take to ask for the keyboard after its command is done. */
const MOST_MS = 1_000
const LOOK_MS = 10

export class HeldKeys {
  private readonly before = document.activeElement
  private readonly area = document.createElement('textarea')
  private readonly pressed: (string | KeyboardEvent)[] = []

  constructor() {
    this.area.className = HELD_KEYS
    this.area.ariaLabel = strings.boot.comes
    this.area.addEventListener('keydown', (event) => this.press(event))
    document.body.append(this.area)
    focus(this.area)
  }

  /** Runs what takes the keyboard, as if it had been run where the person was, and gives it what they typed since. */
  async handTo<T>(run: () => Promise<T>): Promise<T> {
    const isHere = this.has()
    if (isHere) focus(this.before)
    const running = run()
    if (isHere && document.activeElement === this.before) focus(this.area)
    const result = await running
    if (await this.isTaken()) await this.give()
    return result
  }

  /** The keyboard is where it was, unless something has taken it. What was typed for something that did not is gone. */
  end(): void {
    if (this.has()) focus(this.before)
    this.area.remove()
  }

  private has(): boolean {
    return document.activeElement === this.area
  }

  private press(event: KeyboardEvent): void {
    // The workbench would take it for a key of its own.
    event.stopPropagation()
    if (isText(event)) return
    event.preventDefault()
    this.takeText()
    this.pressed.push(event)
  }

  private takeText(): void {
    if (this.area.value !== '') this.pressed.push(this.area.value)
    this.area.value = ''
  }

  private async isTaken(): Promise<boolean> {
    const until = performance.now() + MOST_MS
    do {
      // What asks for the keyboard selects its text next.
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      const { activeElement } = document
      if (activeElement !== this.before && !this.has() && canBeTypedIn(activeElement)) return true
    } while (performance.now() < until)
    return false
  }

  private async give(): Promise<void> {
    this.takeText()
    const editors = await getService(ICodeEditorService)
    for (const one of this.pressed) {
      if (typeof one === 'string') type(one, editors)
      else document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', one))
    }
  }
}

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
}

/** Whether a key is for a text area: everything that writes, takes back or pastes. */
function isText({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  const isCombined = (ctrlKey || metaKey) && !altKey
  if (isCombined) return key.toLowerCase() === 'v'
  return isComposing || key.length === 1 || ['Backspace', 'Dead', 'Process', 'Shift', 'AltGraph'].includes(key)
}

function canBeTypedIn(element: Element | null): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
    || element?.role === 'textbox'
}

function type(text: string, editors: ICodeEditorService): void {
  const { activeElement } = document
  const editor = editors.getFocusedCodeEditor()
  if (editor?.hasTextFocus()) {
    editor.trigger('keyboard', 'type', { text })
  } else if (activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement) {
    const { selectionStart, selectionEnd, value } = activeElement
    activeElement.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end')
    activeElement.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }))
  }
}
