// One agent as a person sets it up: how it is, how it runs, its models, and who offers them.
import type { AgentChange, AgentSetting, ProviderSetting } from '../../protocol/chat-setup'
import type { AgentState, Mode, Models } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { sentences } from '../../strings/chat'
import { advice, commandRow, type CommandHelp } from './advice'
import { button, made, setText, type View } from './dom'
import type { LogInHelp } from './log-in-form'
import { Providers } from './providers'

const words = strings.setup

/** What an agent that runs says of itself. */
export interface AgentAbout {
  models: Models | undefined
  modes: readonly Mode[]
  providers: readonly ProviderSetting[] | undefined
}

/** An agent with what is set about it. */
export interface SetAgent {
  agent: AgentState
  setting: AgentSetting
  isDefault: boolean
  about: AgentAbout | undefined
}

export interface AgentCardHelp extends CommandHelp {
  set(agent: string, change: AgentChange): void
  start(agent: string): void
  stop(agent: string): void
  restart(agent: string): void
  /** How to log in with this agent. */
  logIns(agent: string): LogInHelp
  logOut(agent: string, provider: ProviderSetting): void
}

export class AgentCard implements View {
  readonly element = made('section', '', 'agent')
  private readonly title = made('h3')
  private readonly state = made('span', '', 'about')
  private readonly badge = made('span', words.defaultNow, 'badge')
  private readonly advice = made('div')
  private readonly restart = made('div', '', 'row restart')
  private readonly fields = made('div', '', 'fields')
  private readonly isDefault = check(words.isDefault, '')
  private readonly outside = check(words.outside, words.outsideAbout)
  private readonly ownTools = check(words.ownTools, words.ownToolsAbout)
  private readonly address = made('input')
  private readonly addressRow = made('label', words.address)
  private readonly addressAbout = made('span', '', 'note')
  private readonly model = made('select')
  private readonly smallModel = made('select')
  private readonly models = made('div', '', 'fields')
  private readonly modes = made('div', '', 'modes')
  private readonly deeds = made('div', '', 'row deeds')
  private readonly start: HTMLButtonElement
  private readonly stop: HTMLButtonElement
  private readonly startNote = made('span', words.startsForMore, 'note')
  private readonly providers: Providers
  private drawn = ''

  constructor(private readonly id: string, private readonly help: AgentCardHelp) {
    const set = (change: AgentChange) => help.set(id, change)
    this.isDefault.box.onchange = () => set({ isDefault: this.isDefault.box.checked })
    this.outside.box.onchange = () => set({ outside: this.outside.box.checked })
    this.ownTools.box.onchange = () => set({ ownTools: this.ownTools.box.checked })
    this.address.type = 'text'
    this.address.placeholder = 'http://127.0.0.1:4096'
    this.address.onchange = () => set({ address: this.address.value.trim() })
    this.addressRow.append(this.address, this.addressAbout)
    this.model.onchange = () => set({ model: this.model.value })
    this.smallModel.onchange = () => set({ smallModel: this.smallModel.value })
    this.models.append(labelled(words.model, this.model), labelled(words.smallModel, this.smallModel))
    this.fields.append(this.isDefault.row, this.outside.row, this.ownTools.row, this.addressRow)
    this.start = button(words.start, () => help.start(id), 'secondary')
    this.stop = button(words.stop, () => help.stop(id), 'secondary')
    this.deeds.append(this.start, this.stop, this.startNote)
    this.restart.append(made('span', words.needsRestart), button(words.restart, () => help.restart(id), 'primary'))
    this.restart.setAttribute('role', 'status')
    const logIns = help.logIns(id)
    this.providers = new Providers({
      logIn: (...given) => logIns.logIn(...given), openLogIn: (...given) => logIns.openLogIn(...given),
      finishLogIn: (...given) => logIns.finishLogIn(...given), logOut: (provider) => help.logOut(id, provider),
    })
    const head = made('header', '', 'row')
    this.title.id = `openspace-agent-${id}`
    this.element.setAttribute('aria-labelledby', this.title.id)
    head.append(this.title, this.state, this.badge)
    this.element.append(
      head, this.advice, this.restart, this.deeds, this.fields, this.models, this.providers.element, this.modes,
    )
  }

  show({ agent, setting, isDefault, about }: SetAgent): void {
    const isMissing = agent.state === 'missing'
    const isRunning = agent.state === 'running'
    this.element.dataset.state = agent.state
    setText(this.title, agent.name)
    setText(this.state, words.states[agent.state])
    this.badge.hidden = !isDefault
    this.drawAdvice(agent)
    this.restart.hidden = !agent.needsRestart
    this.deeds.hidden = isMissing
    this.start.hidden = isRunning || agent.state === 'starting'
    this.stop.hidden = !isRunning || setting.isAddressFixed
    this.startNote.hidden = this.start.hidden
    for (const part of [this.fields, this.models, this.modes, this.providers.element]) part.hidden = isMissing
    if (isMissing) return
    this.isDefault.box.checked = isDefault
    this.outside.box.checked = setting.outside
    this.ownTools.box.checked = setting.ownTools
    this.ownTools.box.disabled = setting.whyOwnTools !== null
    setText(this.ownTools.about, setting.whyOwnTools ?? words.ownToolsAbout)
    // How one runs that somebody else started is theirs.
    for (const { row } of [this.outside, this.ownTools]) row.hidden = setting.address !== null
    this.showAddress(setting)
    this.showModels(setting, about)
    this.showModes(about?.modes ?? [])
    const providers = isRunning ? about?.providers : undefined
    this.providers.element.hidden = providers === undefined
    if (providers) this.providers.show(providers)
  }

  private drawAdvice({ state, why, hint, name, install, login, loginCommand }: AgentState): void {
    const key = JSON.stringify([state, why, hint, install, login, loginCommand])
    if (key === this.drawn) return
    this.drawn = key
    const { help } = this
    const parts: HTMLElement[] = []
    const isMissing = state === 'missing'
    if (why && !isMissing && state !== 'running') parts.push(made('p', sentences(why), 'why'))
    if (hint && !isMissing && state !== 'running') parts.push(advice(sentences(hint), help))
    if (install && isMissing) {
      const label = strings.chat.runInstall(name)
      parts.push(commandRow(install, help, { label, title: label }))
    }
    if (login && (login !== loginCommand || isMissing)) parts.push(made('p', strings.chat.logInWith(login), 'note'))
    if (loginCommand && !isMissing) {
      const label = strings.chat.runLogIn(name)
      parts.push(commandRow(loginCommand, help, { label, title: label }))
    }
    this.advice.replaceChildren(...parts)
  }

  /** What is being typed stays. */
  private showAddress({ address, isAddressFixed, whyNoModels }: AgentSetting): void {
    this.addressRow.hidden = whyNoModels !== null || this.id !== 'opencode'
    this.address.disabled = isAddressFixed
    if (document.activeElement !== this.address) this.address.value = address ?? ''
    setText(this.addressAbout, isAddressFixed ? words.addressFixed : words.addressAbout)
  }

  private showModels(setting: AgentSetting, about: AgentAbout | undefined): void {
    const canSet = setting.whyNoModels === null && setting.address === null
    this.models.hidden = !canSet
    if (!canSet) return
    for (const [select, chosen] of [[this.model, setting.model], [this.smallModel, setting.smallModel]] as const) {
      offer(select, about?.models, chosen)
    }
  }

  private showModes(modes: readonly Mode[]): void {
    const key = modes.map(({ id, description }) => `${id} ${description}`).join('\n')
    this.modes.hidden = modes.length === 0
    if (this.modes.dataset.key === key) return
    this.modes.dataset.key = key
    const list = made('ul', '', 'list')
    for (const { name, description, usable, model } of modes) {
      const item = made('li')
      const facts = [words.modeUse[usable], model ? `${model.provider}/${model.model}` : '', description ?? '']
      item.append(made('strong', name), made('span', facts.filter(Boolean).join(' · '), 'about'))
      list.append(item)
    }
    this.modes.replaceChildren(made('h4', words.modes), list)
  }
}

function check(name: string, about: string): { row: HTMLElement; box: HTMLInputElement; about: HTMLElement } {
  const row = made('label', '', 'check')
  const box = made('input')
  box.type = 'checkbox'
  const said = made('span', '', 'note')
  said.textContent = about
  const text = made('span')
  text.append(made('span', name), said)
  row.append(box, text)
  return { row, box, about: said }
}

function labelled(name: string, field: HTMLElement): HTMLElement {
  const label = made('label', name)
  label.append(field)
  return label
}

/** What can be chosen. What is set is there, also where the agent does not offer it or does not run. */
function offer(select: HTMLSelectElement, models: Models | undefined, chosen: string | null): void {
  const key = JSON.stringify([chosen, models?.providers.map(({ id, models: offered }) => [id, offered.length])])
  if (select.dataset.key !== key) {
    select.dataset.key = key
    const option = (value: string, label: string) => {
      const element = made('option', label)
      element.value = value
      return element
    }
    const groups = (models?.providers ?? []).filter((provider) => provider.models.length > 0).map((provider) => {
      const group = made('optgroup')
      group.label = provider.name
      group.append(...provider.models.map(({ id, name }) => option(`${provider.id}/${id}`, name)))
      return group
    })
    select.replaceChildren(option('', words.leftToAgent), ...groups)
    const isOffered = [...select.options].some(({ value }) => value === (chosen ?? ''))
    if (!isOffered && chosen) select.append(option(chosen, chosen))
  }
  select.value = chosen ?? ''
}
