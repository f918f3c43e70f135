// A picture in a tab: fitted or in its own size, with how large it is. It shows and never changes anything.
import { strings } from '../../strings'
import { bytesInWords } from './kind'

const words = strings.image

export interface Picture {
  name: string
  type: string
  bytes: Uint8Array
}

export class ImageView {
  readonly element = document.createElement('div')
  private readonly stage = document.createElement('div')
  private readonly facts = document.createElement('p')
  private readonly toggle = document.createElement('button')
  private address: string | undefined
  private latest = 0

  constructor() {
    this.element.className = 'openspace-image'
    this.stage.className = 'openspace-image-stage'
    // What is larger than the tab is scrolled with the keys.
    this.stage.tabIndex = 0
    this.stage.setAttribute('role', 'group')
    const foot = document.createElement('div')
    foot.className = 'openspace-image-foot'
    this.facts.setAttribute('role', 'status')
    this.toggle.onclick = () => this.fit(!this.isFitted)
    foot.append(this.facts, this.toggle)
    this.element.append(this.stage, foot)
    this.fit(true)
    this.toggle.hidden = true
  }

  focus(): void {
    this.stage.focus()
  }

  /** Show this content in the place of what was there, once the browser can. */
  async show({ name, type, bytes }: Picture): Promise<void> {
    const number = ++this.latest
    this.stage.setAttribute('aria-label', words.stage(name))
    const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }))
    const image = document.createElement('img')
    image.alt = words.alt(name)
    image.src = address
    const isShowable = await decoded(image)
    if (number !== this.latest) {
      URL.revokeObjectURL(address)
      return
    }
    this.release()
    if (!isShowable) {
      URL.revokeObjectURL(address)
      this.say(words.broken(name, bytesInWords(bytes.length)))
      return
    }
    this.address = address
    this.stage.replaceChildren(image)
    this.facts.textContent = words.facts(image.naturalWidth, image.naturalHeight, bytesInWords(bytes.length))
    this.toggle.hidden = false
  }

  /** Say why there is no picture. */
  fail(why: string): void {
    this.latest += 1
    this.release()
    this.say(why)
  }

  /** Show nothing, and keep nothing. */
  clear(): void {
    this.fail('')
  }

  private get isFitted(): boolean {
    return this.element.classList.contains('fitted')
  }

  private fit(isFitted: boolean): void {
    this.element.classList.toggle('fitted', isFitted)
    this.toggle.textContent = isFitted ? words.actualSize : words.fit
  }

  private say(text: string): void {
    const note = document.createElement('p')
    note.className = 'openspace-image-note'
    note.textContent = text
    this.stage.replaceChildren(note)
    this.facts.textContent = ''
    this.toggle.hidden = true
  }

  /** The browser keeps what an address names until it is told otherwise. */
  private release(): void {
    if (this.address !== undefined) URL.revokeObjectURL(this.address)
    this.address = undefined
  }
}

async function decoded(image: HTMLImageElement): Promise<boolean> {
  try {
    await image.decode()
    return true
  } catch {
    // What it says differs between browsers and helps nobody: the file is broken or no picture at all.
    return false
  }
}
