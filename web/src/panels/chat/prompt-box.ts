// Where a person writes to the agent: words and what goes with them, what it is sent with, and the button that sends
// or stops.
//
// Enter sends, Shift+Enter makes a line. What is written is a draft that others keep; what was sent can be had back
// with the arrows. What is sent before the agent can be reached is not lost: it goes when it can, unless the person
// goes on writing.
import type { Mode, ModelChoice, Models } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { Attachments, pictureOf, type Attachment } from './attachments'
import { Completion, type Propose, type Proposal, type Typed } from './completion'
import { button, icon, iconButton, made, nameIt } from './dom'

const words = strings.chat
/** A draft is told so long after the last letter. */
const DRAFT_MS = 400
/** Characters of a prompt. */
const MOST_TEXT = 200_000

export interface Draft {
  text: string
  attachments: readonly Attachment[]
}

export interface Chosen {
  model: ModelChoice | undefined
  mode: string | undefined
}

export interface PromptHelp {
  send(draft: Draft): void
  stop(): void
  keepDraft(draft: Draft): void
  choose(chosen: Chosen): void
  attach(): void
  propose: Propose
  /** Files that were dropped with their path in the workspace. */
  droppedPaths(data: DataTransfer): string[]
  failed(text: string): void
}

export class PromptBox {
  readonly element = made('form', '', 'prompt')
  readonly input = made('textarea')
  private readonly attachments: Attachments
  private readonly completion: Completion
  private readonly model = made('select')
  private readonly mode = made('select')
  private readonly variant = made('select')
  private readonly go: HTMLButtonElement
  private readonly halt: HTMLButtonElement
  private readonly waiting = made('p', '', 'waiting')
  private history: readonly string[] = []
  private place = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private models: Models | undefined
  private chosen: Chosen = { model: undefined, mode: undefined }
  private isBusy = false
  private canSend = true
  private mayWait = true
  /** Enter was pressed before it could be sent. */
  private isWaiting = false

  constructor(private readonly help: PromptHelp) {
    const { element, input } = this
    this.attachments = new Attachments(() => this.changed())
    this.completion = new Completion(input, help.propose, (typed, proposal) => this.take(typed, proposal))
    input.rows = 1
    input.maxLength = MOST_TEXT
    input.placeholder = words.placeholder
    input.setAttribute('aria-label', words.prompt)
    input.oninput = () => {
      this.changed()
      void this.completion.look()
    }
    input.onkeydown = (event) => this.press(event)
    input.onblur = () => this.completion.close()
    input.onpaste = (event) => this.paste(event)
    element.ondragover = (event) => {
      event.preventDefault()
      element.classList.add('dropping')
    }
    element.ondragleave = () => element.classList.remove('dropping')
    element.ondrop = (event) => this.drop(event)
    element.onsubmit = (event) => {
      event.preventDefault()
      this.submit()
    }
    this.go = made('button', '', 'send')
    this.go.type = 'submit'
    this.go.append(icon('send'))
    nameIt(this.go, words.send)
    this.halt = button('', () => help.stop(), 'stop')
    this.halt.append(icon('debug-stop'))
    nameIt(this.halt, words.stop)
    const names = [[this.mode, words.mode], [this.model, words.model], [this.variant, words.variant]] as const
    for (const [select, label] of names) {
      nameIt(select, label)
      select.onchange = () => this.choose()
    }
    const choices = made('div', '', 'choices')
    choices.append(this.mode, this.model, this.variant)
    const row = made('div', '', 'row')
    row.append(iconButton('attach', words.attach, () => help.attach()), choices, this.halt, this.go)
    this.waiting.setAttribute('role', 'status')
    element.append(this.completion.element, this.attachments.element, input, this.waiting, row)
    this.offer(undefined, [], this.chosen)
    this.update({ isBusy: false, canSend: false, mayWait: true })
  }

  get draft(): Draft {
    return { text: this.input.value, attachments: this.attachments.all }
  }

  /** Show what was written before; what is typed right now stays. */
  setDraft({ text, attachments }: Draft): void {
    clearTimeout(this.timer)
    // The same words, kept for the agent that is there now, still wait to be sent.
    this.isWaiting &&= text === this.input.value
    this.input.value = text
    this.attachments.replace(attachments)
    this.fit()
    this.showGo()
  }

  setHistory(history: readonly string[]): void {
    if (this.place === this.history.length) this.place = history.length
    this.history = history
  }

  update({ isBusy, canSend, mayWait }: { isBusy: boolean; canSend: boolean; mayWait: boolean }): void {
    this.isBusy = isBusy
    this.canSend = canSend
    this.mayWait = mayWait
    // Its room stays, so that nothing jumps when a turn begins.
    this.halt.classList.toggle('away', !isBusy)
    this.input.placeholder = isBusy ? words.placeholderBusy : words.placeholder
    if (canSend && this.isWaiting) this.submit()
    else this.showGo()
  }

  /** What can be chosen, and what is. */
  offer(models: Models | undefined, modes: readonly Mode[], chosen: Chosen): void {
    this.models = models
    this.chosen = chosen
    const main = modes.filter(({ usable }) => usable !== 'sub_agent')
    this.mode.replaceChildren(...main.map(({ id, name, description }) => option(id, name, description ?? '')))
    this.mode.value = chosen.mode ?? main[0]?.id ?? ''
    this.mode.hidden = main.length < 2
    const providers = (models?.providers ?? []).filter((provider) => provider.models.length > 0)
    this.model.replaceChildren(...providers.map(({ id, name, models: offered }) => {
      const group = made('optgroup')
      group.label = name
      group.append(...offered.map((model) => option(`${id}/${model.id}`, model.name, words.modelAbout(model))))
      return group
    }))
    const model = chosen.model ?? models?.default ?? undefined
    this.model.value = model ? `${model.provider}/${model.model}` : ''
    this.model.hidden = providers.length === 0
    this.offerVariants(model)
  }

  add(attachment: Attachment): void {
    if (!this.attachments.add(attachment)) this.help.failed(words.tooMany)
  }

  insert(text: string): void {
    const { input } = this
    input.setRangeText(text, input.selectionStart, input.selectionEnd, 'end')
    this.changed()
  }

  focus(): void {
    this.input.focus()
  }

  private offerVariants(model: ModelChoice | undefined): void {
    const known = this.models?.providers.find(({ id }) => id === model?.provider)?.models
      .find(({ id }) => id === model?.model)
    const variants = known?.variants ?? []
    this.variant.replaceChildren(option('', words.noVariant, ''), ...variants.map((name) => option(name, name, '')))
    this.variant.value = model?.variant ?? ''
    this.variant.hidden = variants.length === 0
  }

  private choose(): void {
    const [provider = '', ...rest] = this.model.value.split('/')
    const isOther = this.chosen.model?.model !== rest.join('/') || this.chosen.model.provider !== provider
    const variant = isOther || this.variant.value === '' ? null : this.variant.value
    const model = this.model.value === '' ? undefined : { provider, model: rest.join('/'), variant }
    this.chosen = { model, mode: this.mode.value || undefined }
    this.offerVariants(model)
    this.help.choose(this.chosen)
  }

  private submit(): void {
    const { draft } = this
    if (draft.text.trim() === '' && draft.attachments.length === 0) return
    if (!this.canSend) {
      this.isWaiting = this.mayWait
      this.showGo()
      return
    }
    this.isWaiting = false
    this.setDraft({ text: '', attachments: [] })
    this.place = this.history.length
    this.completion.close()
    this.help.send(draft)
  }

  private press(event: KeyboardEvent): void {
    if (this.completion.press(event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const { key } = event
    if (event.isComposing) return
    if (key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      if (!event.repeat) this.submit()
    } else if (key === 'ArrowUp' && !event.altKey && this.isAtStart()) this.recall(-1, event)
    else if (key === 'ArrowDown' && this.isAtEnd()) this.recall(1, event)
    else if (key === 'Escape' && this.isWaiting) {
      event.preventDefault()
      this.isWaiting = false
      this.showGo()
    } else if (key === 'Escape' && this.isBusy) {
      event.preventDefault()
      this.help.stop()
    }
    // Keys of a text belong to the text, not to the list around it; those of the workbench are the workbench's.
    if (!event.ctrlKey && !event.metaKey && !event.altKey && !/^F\d+$/.test(key)) event.stopPropagation()
  }

  private isAtStart(): boolean {
    const { selectionStart, selectionEnd } = this.input
    return selectionStart === 0 && selectionEnd === 0
  }

  private isAtEnd(): boolean {
    return this.place < this.history.length && this.input.selectionStart === this.input.value.length
  }

  private recall(by: number, event: Event): void {
    const place = Math.max(0, Math.min(this.history.length, this.place + by))
    if (place === this.place) return
    event.preventDefault()
    this.place = place
    this.input.value = this.history[place] ?? ''
    // The next arrow in the same direction goes on.
    const caret = by < 0 ? 0 : this.input.value.length
    this.input.setSelectionRange(caret, caret)
    this.changed()
  }

  private take({ start }: Typed, { insert }: Proposal): void {
    this.input.setSelectionRange(start, this.input.selectionStart)
    this.insert(insert)
    this.focus()
    // A folder is gone on with.
    if (insert.endsWith('/')) void this.completion.look()
  }

  private changed(): void {
    this.isWaiting = false
    this.fit()
    this.showGo()
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.help.keepDraft(this.draft), DRAFT_MS)
  }

  /** As high as its text, up to what the style allows. */
  private fit(): void {
    this.input.style.height = 'auto'
    this.input.style.height = `${this.input.scrollHeight + 2}px`
  }

  private showGo(): void {
    const isEmpty = this.input.value.trim() === '' && this.attachments.all.length === 0
    this.go.disabled = isEmpty || !this.canSend
    nameIt(this.go, this.isBusy ? words.sendLater : words.send)
    const waiting = this.isWaiting ? words.sentWhenThere : ''
    if (this.waiting.textContent !== waiting) this.waiting.textContent = waiting
    this.waiting.hidden = waiting === ''
  }

  private paste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void this.addPictures(files)
  }

  private drop(event: DragEvent): void {
    event.preventDefault()
    event.stopPropagation()
    this.element.classList.remove('dropping')
    if (!event.dataTransfer) return
    const paths = this.help.droppedPaths(event.dataTransfer)
    for (const path of paths) this.add({ type: 'file', path })
    if (paths.length === 0) void this.addPictures([...event.dataTransfer.files])
    this.focus()
  }

  private async addPictures(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const picture = await pictureOf(file)
      if (typeof picture === 'string') this.help.failed(picture)
      else this.add(picture)
    }
  }
}

function option(value: string, label: string, about: string): HTMLOptionElement {
  const element = made('option', label)
  element.value = value
  if (about) element.title = about
  return element
}

/** Whether it is small enough to be kept with a draft: a picture is not. */
export function isKept({ type }: Attachment): boolean {
  return type !== 'image'
}
