// What a person types while something is on its way that is to get it: kept from whatever has the keyboard now, and
// handed in one piece to what takes it then, before any later key. So it is from the page's first script on, when
// nothing is there yet. Never given to anything that cannot be typed in, nor to the file that they were in when they
// asked for something else.
//
// Keys are kept wherever they arrive until all that were kept are handed over: what takes the keyboard has it for a
// moment before it is ready for them. What only a browser can type (accents, input methods, pasting) it types into a
// text area that nobody sees. A click ends it: the person says themselves where their keys go.
//
// It is in the page's first script and imports nothing of the workbench, which tells it what there is (`KeyTakers`).
import { strings } from '../../strings'

/** Where the browser types while keys are kept. */
export const HELD_KEYS = 'openspace-held-keys'

/** What covers the page until it is there. A click on it says nothing about where keys go. */
const COVER = '#boot'

/** How long it is waited until it is looked again. */
export const LOOK_MS = 10
/** How often it is looked whether something has taken the keyboard. Looks, because a busy machine has fewer of them. */
const LOOKS = {
  /** What asks for the keyboard selects its text next. */
  settled: 1,
  /** The same while the command is at work: some end only when the person has chosen. */
  settledAtWork: 20,
  /** What cannot be typed in may be on the way to what can: a view, then its box. */
  untypable: 50,
  /** What a view may take to ask for the keyboard after its command is done. */
  done: 100,
  most: 1_000,
}

/** What the workbench knows of those who get keys. */
export interface KeyTakers {
  /** Types into the editor that has the keyboard; whether one has it. */
  typeInEditor(text: string): boolean
  /** Whether the next key is the second one of a shortcut. */
  isInChord(): boolean
  /** When a list shows what it was last asked for: until then a key would choose something else from it. */
  isListed(): Promise<void>
}

class HeldKeys {
  /** Known once the workbench is there. */
  takers: KeyTakers | undefined
  /** In the order in which they were pressed; what the browser typed as text. */
  private readonly pressed: (string | KeyboardEvent)[] = []
  private readonly area = document.createElement('textarea')
  private readonly onPress = (event: KeyboardEvent) => this.press(event)
  private readonly onClick = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest(COVER))) this.giveUp()
  }
  /** What had the keyboard before the area. */
  private before: Element | null = null
  /** How many things are on their way. */
  private waiting = 0
  private isGiving = false
  private isGivenUp = false
  private readonly whenFree: (() => void)[] = []

  constructor() {
    this.area.className = HELD_KEYS
    this.area.ariaLabel = strings.boot.comes
    this.area.addEventListener('input', ({ isComposing }: Event & { isComposing?: boolean }) => {
      if (!isComposing) this.takeText()
    })
  }

  /** Keeps what is typed until the work is done, for whatever has the keyboard then. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.hold()
    this.takeKeyboard()
    let isDone = false
    try {
      const result = await work()
      isDone = true
      return result
    } finally {
      this.end(isDone)
    }
  }

  /** When it is there, runs what takes the keyboard, as if where the person was, and gives it what they typed since. */
  async handTo<T>(isThere: () => Promise<void>, run: () => Promise<T>): Promise<T> {
    this.hold()
    this.takeKeyboard()
    let running: Promise<T>
    let isTaken = false
    try {
      await isThere()
      running = this.runWhereThePersonWas(run)
      isTaken = (await this.isTaken(running)) || this.giveBack()
    } finally {
      this.end(isTaken)
    }
    return running
  }

  /** When all that was kept is handed over. */
  async free(): Promise<void> {
    if (this.waiting > 0 || this.isGiving) await new Promise<void>((resolve) => this.whenFree.push(resolve))
  }

  /** Nothing comes, or the person says themselves where their keys go: what was kept is nobody's. */
  giveUp(): void {
    this.isGivenUp = true
    this.pressed.length = 0
    this.leave()
  }

  /** Whether an element has the keyboard only to keep what is typed. */
  isKeeping(element: Element | null): boolean {
    return element === this.area
  }

  private hold(): void {
    this.waiting += 1
    if (this.waiting > 1) return
    this.isGivenUp = false
    window.addEventListener('keydown', this.onPress, { capture: true })
    window.addEventListener('pointerdown', this.onClick, { capture: true, passive: true })
  }

  private takeKeyboard(): void {
    if (this.has()) return
    this.before = document.activeElement
    if (!this.area.isConnected) document.body.append(this.area)
    focus(this.area)
  }

  private runWhereThePersonWas<T>(run: () => Promise<T>): Promise<T> {
    const isHere = this.has()
    if (isHere) focus(this.before)
    const running = run()
    if (isHere && document.activeElement === this.before) focus(this.area)
    return running
  }

  private end(isTaken: boolean): void {
    this.waiting -= 1
    this.takeText()
    if (!isTaken) this.pressed.length = 0
    if (this.waiting > 0) return
    this.leave()
    if (!this.isGiving) void this.give()
  }

  /** The keyboard is where it was, unless something has taken it. */
  private leave(): void {
    if (this.has()) focus(this.before)
    this.area.value = ''
    this.area.remove()
    this.before = null
  }

  private has(): boolean {
    return this.isKeeping(document.activeElement)
  }

  private press(event: KeyboardEvent): void {
    const isHandedOver = !event.isTrusted
    if (isHandedOver || this.isGivenUp || isOfBrowser(event)) return
    // The workbench would take it for a key of its own.
    event.stopPropagation()
    if (MODIFIERS.has(event.key)) return
    if (isTypedByBrowser(event)) {
      // It cannot be kept from what has the keyboard by now; what was typed before it can be there first.
      while (!this.has() && canBeTypedIn(document.activeElement) && this.pressed.length > 0) this.giveFirst()
      return
    }
    event.preventDefault()
    this.takeText()
    if (event.key !== 'Backspace' || !this.takeBack()) this.pressed.push(event)
  }

  private takeText(): void {
    if (this.area.value !== '') this.pressed.push(this.area.value)
    this.area.value = ''
  }

  /** Whether there was a character to take back. */
  private takeBack(): boolean {
    const text = textOf(this.pressed.at(-1))
    if (text === undefined) return false
    this.pressed.pop()
    const rest = text.replace(/.$/su, '')
    if (rest !== '') this.pressed.push(rest)
    return true
  }

  private async isTaken(running: Promise<unknown>): Promise<boolean> {
    let isAtWork = true
    void Promise.allSettled([running]).then(() => (isAtWork = false))
    let last: Element | null = null
    let same = 0
    let sinceDone = 0
    for (let look = 0; look < LOOKS.most && sinceDone < LOOKS.done && !this.isGivenUp; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      const { activeElement } = document
      const isElsewhere = activeElement !== this.before && activeElement !== document.body && !this.has()
      same = isElsewhere && activeElement === last ? same + 1 : 0
      last = activeElement
      if (!isAtWork) sinceDone += 1
      const isTypable = canBeTypedIn(activeElement)
      if (isTypable && same >= (isAtWork ? LOOKS.settledAtWork : LOOKS.settled)) return true
      if (!isTypable && same >= LOOKS.untypable) return false
    }
    return false
  }

  /** To the box that they asked for from itself. */
  private giveBack(): boolean {
    const { before } = this
    if (!this.has() || !canBeTypedIn(before) || before?.closest('.editor-group-container')) return false
    focus(before)
    return true
  }

  private async give(): Promise<void> {
    this.isGiving = true
    // A key may be for something that is not there: what comes after it is kept for that.
    while (this.waiting === 0 && this.pressed.length > 0) {
      if (textOf(this.pressed[0]) === undefined) await this.takers?.isListed()
      if (this.waiting === 0) this.giveFirst()
    }
    this.isGiving = false
    if (this.waiting > 0) return
    window.removeEventListener('keydown', this.onPress, { capture: true })
    window.removeEventListener('pointerdown', this.onClick, { capture: true })
    for (const tell of this.whenFree.splice(0)) tell()
  }

  /** The next key, or all text up to it. */
  private giveFirst(): void {
    const { activeElement } = document
    if (canBeTypedIn(activeElement) && !this.takers?.isInChord()) {
      const end = this.pressed.findIndex((key) => textOf(key) === undefined)
      const texts = this.pressed.splice(0, end < 0 ? this.pressed.length : end)
      if (texts.length > 0) {
        this.type(texts.map(textOf).join(''))
        return
      }
    }
    const first = this.pressed.shift()
    if (!(first instanceof KeyboardEvent)) return
    const isLeft = (activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', first))
    // What a browser does with it when nobody else does.
    if (isLeft && first.key === 'Enter' && !(activeElement instanceof HTMLInputElement)) this.type('\n')
  }

  private type(text: string): void {
    if (this.takers?.typeInEditor(text)) return
    const { activeElement } = document
    if (!(activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)) return
    const { selectionStart, selectionEnd, value } = activeElement
    activeElement.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end')
    activeElement.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }))
  }
}

export const heldKeys = new HeldKeys()

const isMac = navigator.userAgent.includes('Mac')
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'])

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
}

const isCombined = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => (ctrlKey || metaKey) && !altKey

/** A page that does not come can be loaded anew, looked into, and left. */
function isOfBrowser(event: KeyboardEvent): boolean {
  const { key, shiftKey } = event
  if (['F5', 'F11', 'F12'].includes(key)) return true
  return isCombined(event) && (/^[rl0+=-]$/i.test(key) || (shiftKey && /^[ijc]$/i.test(key)))
}

function isTypedByBrowser(event: KeyboardEvent): boolean {
  if (isCombined(event)) return event.key.toLowerCase() === 'v'
  return event.isComposing || ['Dead', 'Process', 'Unidentified'].includes(event.key)
}

/** With Alt alone it is a shortcut, and with `AltGraph`, which some say as both, a character. */
function isText(event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey } = event
  const isAltAlone = altKey && !ctrlKey && !isMac
  return /^.$/su.test(key) && !isCombined(event) && !isAltAlone
}

/** What is typed, if it is not a key that is no text. */
function textOf(key: string | KeyboardEvent | undefined): string | undefined {
  if (typeof key !== 'object') return key
  return isText(key) ? key.key : undefined
}

function canBeTypedIn(element: Element | null): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
    || element?.role === 'textbox'
}
