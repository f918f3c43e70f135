// A log-in to somebody who offers models: with a key, or through a page of theirs.
//
// A key is typed into a field that shows nothing of it, is handed on when it is sent, and is gone from the page at that
// moment, however the log-in ends.
import type { Answers, LogInAsk, LogInPage, LogInWay, ProviderSetting } from '../../protocol/chat-setup'
import { strings } from '../../strings'
import { sentences } from '../../strings/chat'
import { button, made, setText } from './dom'

const words = strings.setup

export interface LogInHelp {
  /** Each gives nothing when it is done, and else why not. */
  logIn(provider: ProviderSetting, key: string, answers: Answers): Promise<string | undefined>
  openLogIn(provider: ProviderSetting, way: number, answers: Answers): Promise<LogInPage | string>
  finishLogIn(provider: ProviderSetting, way: number, code: string | undefined): Promise<string | undefined>
}

export class LogInForm {
  readonly element = made('form', '', 'log-in')
  private readonly ways = made('select')
  private readonly fields = made('div', '', 'fields')
  private readonly failure = made('p', '', 'failed')
  private readonly status = made('p', '', 'note')
  private readonly go = made('button', words.done, 'primary')
  private readonly asked = new Map<string, HTMLInputElement | HTMLSelectElement>()
  private secret: HTMLInputElement | undefined
  private page: LogInPage | undefined

  constructor(
    private readonly provider: ProviderSetting,
    private readonly help: LogInHelp,
    private readonly close: () => void,
  ) {
    const { name, logIns } = provider
    this.element.setAttribute('aria-label', words.logIn(name))
    for (const [index, { label }] of logIns.entries()) {
      const option = made('option', label)
      option.value = String(index)
      this.ways.append(option)
    }
    this.ways.setAttribute('aria-label', words.way)
    this.ways.hidden = logIns.length < 2
    this.ways.onchange = () => this.draw()
    this.failure.setAttribute('role', 'alert')
    this.status.setAttribute('role', 'status')
    this.go.type = 'submit'
    const deeds = made('div', '', 'row deeds')
    deeds.append(this.go, button(words.cancel, close, 'secondary'))
    this.element.append(this.ways, this.fields, this.status, this.failure, deeds)
    this.element.onsubmit = (event) => {
      event.preventDefault()
      void this.submit()
    }
    this.element.onkeydown = (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      this.close()
    }
    this.draw()
  }

  focus(): void {
    const first = this.ways.hidden ? this.fields.querySelector<HTMLElement>('input, select') : this.ways
    ;(first ?? this.go).focus()
  }

  private get way(): LogInWay {
    return this.provider.logIns[Number(this.ways.value)] ?? { label: '', isByKey: true, asks: [] }
  }

  private draw(): void {
    const { way } = this
    this.page = undefined
    this.secret = undefined
    this.asked.clear()
    this.fields.replaceChildren(...way.asks.map((ask) => this.ask(ask)))
    if (way.isByKey) this.addSecret(words.key(this.provider.name), words.keyAbout)
    this.go.textContent = way.isByKey ? words.done : words.openPage
    setText(this.status, '')
    setText(this.failure, '')
    this.showAsked()
  }

  private ask({ name, message, example, choices }: LogInAsk): HTMLElement {
    const field = choices.length > 0 ? made('select') : made('input')
    if (field instanceof HTMLSelectElement) {
      field.append(...choices.map(({ value, label }) => {
        const option = made('option', label)
        option.value = value
        return option
      }))
    } else {
      field.type = 'text'
      field.placeholder = example ?? ''
    }
    field.onchange = () => this.showAsked()
    this.asked.set(name, field)
    const label = made('label', message)
    label.append(field)
    return label
  }

  /** Some are asked for only after a certain answer to another. */
  private showAsked(): void {
    for (const { name, onlyWhen } of this.way.asks) {
      const field = this.asked.get(name)
      const row = field?.parentElement
      if (!field || !row) continue
      const given = onlyWhen && this.asked.get(onlyWhen.name)?.value
      row.hidden = onlyWhen !== null && (given === onlyWhen.value) !== onlyWhen.is
    }
  }

  private get answers(): Answers {
    const shown = [...this.asked].filter(([, field]) => !field.parentElement?.hidden)
    return Object.fromEntries(shown.map(([name, field]) => [name, field.value]))
  }

  private addSecret(name: string, about: string): void {
    const field = made('input')
    field.type = 'password'
    // It is no password of this page, and is kept nowhere here.
    field.autocomplete = 'new-password'
    field.spellcheck = false
    field.required = true
    const label = made('label', name)
    label.append(field)
    this.fields.append(label)
    if (about) this.fields.append(made('p', about, 'note'))
    this.secret = field
  }

  private takeSecret(): string {
    const secret = this.secret?.value.trim() ?? ''
    if (this.secret) this.secret.value = ''
    return secret
  }

  private async submit(): Promise<void> {
    if (this.go.disabled) return
    this.go.disabled = true
    setText(this.failure, '')
    try {
      const failed = await this.send()
      if (failed === undefined) return
      setText(this.failure, sentences(words.logInFailed, failed))
    } finally {
      this.go.disabled = false
    }
  }

  /** Why it failed; nothing when it did not, or goes on. */
  private async send(): Promise<string | undefined> {
    const { provider, help, page } = this
    const way = Number(this.ways.value)
    if (this.way.isByKey) return this.end(await help.logIn(provider, this.takeSecret(), this.answers))
    if (page) return this.end(await help.finishLogIn(provider, way, this.takeSecret()))
    const opened = await help.openLogIn(provider, way, this.answers)
    if (typeof opened === 'string') return opened
    this.page = opened
    this.showPage(opened)
    if (opened.givesCode) return undefined
    setText(this.status, words.waits)
    return this.end(await help.finishLogIn(provider, way, undefined))
  }

  private end(failed: string | undefined): string | undefined {
    setText(this.status, '')
    if (failed === undefined) this.close()
    return failed
  }

  private showPage({ url, instructions, givesCode }: LogInPage): void {
    const link = made('a', url)
    link.href = url
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
    this.fields.replaceChildren(...(instructions ? [made('p', instructions)] : []), link)
    if (givesCode) {
      this.addSecret(words.code, '')
      this.go.textContent = words.finish
      this.secret?.focus()
    }
    window.open(url, '_blank', 'noopener,noreferrer')
  }
}
