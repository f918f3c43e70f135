// Who offers models to an agent: those that are connected, and all others by their names.
import type { ProviderSetting } from '../../protocol/chat-setup'
import { strings } from '../../strings'
import { button, KeyedList, made, nameIt, setText, type View } from './dom'
import { LogInForm, type LogInHelp } from './log-in-form'

const words = strings.setup
/** Of those that are not connected, so many are shown; the others are found by their names. */
const MOST_SHOWN = 12

export interface ProvidersHelp extends LogInHelp {
  logOut(provider: ProviderSetting): void
}

export class Providers {
  readonly element = made('div', '', 'providers')
  private readonly search = made('input')
  private readonly rows: KeyedList<ProviderSetting, ProviderRow>
  private readonly note = made('p', '', 'note')
  private all: readonly ProviderSetting[] = []

  constructor(help: ProvidersHelp) {
    this.search.type = 'search'
    this.search.placeholder = words.searchProviders
    this.search.setAttribute('aria-label', words.searchProviders)
    this.search.oninput = () => this.draw()
    const list = made('ul', '', 'list')
    list.setAttribute('aria-label', words.providers)
    this.rows = new KeyedList(
      list, ({ id }) => id, (provider) => new ProviderRow(provider, help), (row, provider) => row.show(provider),
    )
    this.element.append(made('h4', words.providers), this.search, list, this.note)
  }

  show(providers: readonly ProviderSetting[]): void {
    this.all = providers
    this.search.hidden = providers.length < 2
    this.draw()
  }

  private draw(): void {
    const typed = this.search.value.trim().toLowerCase()
    const found = this.all.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(typed))
    const connected = found.filter(({ isConnected }) => isConnected)
    const others = found.filter(({ isConnected }) => !isConnected)
    // A row in which somebody types stays.
    const shown = others.filter(({ id }, index) => index < MOST_SHOWN || this.rows.get(id)?.isOpen)
    this.rows.show([...connected, ...shown])
    const hidden = others.length - shown.length
    setText(this.note, this.all.length === 0 ? words.noProviders
      : found.length === 0 ? words.noneFound : hidden > 0 ? words.more(hidden) : '')
    this.note.hidden = this.note.textContent === ''
  }
}

class ProviderRow implements View {
  readonly element = made('li', '', 'provider')
  private readonly name = made('strong')
  private readonly about = made('span', '', 'about')
  private readonly logIn: HTMLButtonElement
  private readonly logOut: HTMLButtonElement
  private form: LogInForm | undefined
  private provider: ProviderSetting

  constructor(provider: ProviderSetting, private readonly help: ProvidersHelp) {
    this.provider = provider
    this.logIn = button(words.logInShort, () => this.open(), 'secondary')
    this.logOut = button(words.logOutShort, () => help.logOut(this.provider), 'secondary')
    const row = made('div', '', 'row')
    const said = made('div', '', 'said')
    said.append(this.name, this.about)
    row.append(said, this.logIn, this.logOut)
    this.element.append(row)
    this.show(provider)
  }

  get isOpen(): boolean {
    return this.form !== undefined
  }

  show(provider: ProviderSetting): void {
    this.provider = provider
    const { name, isConnected, hasKey, models, source, variables } = provider
    this.element.dataset.connected = String(isConnected)
    setText(this.name, name)
    const facts = [
      isConnected ? words.connected : words.notConnected,
      isConnected ? words.from({ source, variables, hasKey }) : '', words.models(models),
    ]
    setText(this.about, facts.filter(Boolean).join(' · '))
    nameIt(this.logIn, words.logIn(name))
    nameIt(this.logOut, words.logOut(name))
    // What comes from the environment is not the agent's to forget.
    this.logOut.hidden = !isConnected || source === 'env' || !(hasKey || source === 'api' || source === 'custom')
  }

  private open(): void {
    if (this.form) {
      this.form.focus()
      return
    }
    const close = () => {
      this.form?.element.remove()
      this.form = undefined
      this.logIn.setAttribute('aria-expanded', 'false')
      this.logIn.focus()
    }
    this.form = new LogInForm(this.provider, this.help, close)
    this.logIn.setAttribute('aria-expanded', 'true')
    this.element.append(this.form.element)
    this.form.focus()
  }
}
