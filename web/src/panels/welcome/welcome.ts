// The welcome page: how to connect an agent, with what to copy, and whether one is connected.
//
// Plain DOM. It draws what it is given; copying is the browser's own.
import { strings } from '../../strings'

const words = strings.welcome
/** How long a button says what it did. */
const SAID_MS = 2_000

export interface ConnectableClient {
  name: string
  title: string
  command: string
  file: string
  text: string
}

export interface WelcomeState {
  workspace: string
  isEmpty: boolean
  agents: string[]
  /** What to say of agents' programs that nothing confines; nothing where something does. */
  warning: string | undefined
}

/** A key of the person, and what it is good for. */
export interface KeyHelp {
  key: string
  meaning: string
}

export class Welcome {
  readonly element = document.createElement('div')
  private readonly status = made('p', '', 'openspace-welcome-status')
  private readonly heading = document.createElement('h1')
  private readonly hint = document.createElement('p')
  private readonly warning = made('p', '', 'openspace-welcome-warning')
  private readonly clients = made('div', '', 'openspace-welcome-clients')
  private readonly keys = document.createElement('dl')

  constructor() {
    this.element.className = 'openspace-welcome'
    this.status.setAttribute('role', 'status')
    this.warning.hidden = true
    this.element.append(this.heading, this.hint, this.warning, this.status)
    this.element.append(made('h2', words.connect), made('p', words.about), this.clients)
    this.element.append(made('h2', words.keys), this.keys)
  }

  show({ workspace, isEmpty, agents, warning }: WelcomeState): void {
    this.warning.textContent = warning ?? ''
    this.warning.hidden = warning === undefined
    this.heading.textContent = words.heading(workspace)
    this.hint.textContent = isEmpty ? words.emptyFolder : words.intro
    const isConnected = agents.length > 0
    this.status.classList.toggle('connected', isConnected)
    const text = isConnected ? words.connected(agents.join(', ')) : words.waiting
    // The same words again would be read out again.
    if (this.status.textContent !== text) this.status.textContent = text
  }

  showKeys(keys: KeyHelp[]): void {
    this.keys.replaceChildren(...keys.flatMap(({ key, meaning }) => {
      const term = document.createElement('dt')
      term.append(made('kbd', key))
      return [term, made('dd', meaning)]
    }))
  }

  offer(clients: ConnectableClient[]): void {
    this.clients.replaceChildren(...clients.map((client, index) => card(client, index === 0)))
  }

  /** Say why no client is listed, with a way to try again. */
  fail(why: string, again: () => void): void {
    const button = made('button', words.again)
    button.onclick = again
    this.clients.replaceChildren(made('p', words.notLoaded(why)), button)
  }
}

function card({ title, command, file, text }: ConnectableClient, isOpen: boolean): HTMLElement {
  const details = document.createElement('details')
  details.open = isOpen
  details.name = 'openspace-client'
  const byCommand = copyable(command, words.copyCommand(title))
  const byFile = copyable(text, words.copyLines(title, file))
  details.append(made('summary', title), byCommand, made('p', words.orFile(file)), byFile)
  return details
}

function copyable(text: string, name: string): HTMLElement {
  const box = made('div', '', 'openspace-copy')
  const code = made('pre', text)
  code.tabIndex = 0
  const button = made('button', words.copy)
  button.setAttribute('aria-label', name)
  button.title = name
  const said = made('span', '', 'openspace-said')
  said.setAttribute('role', 'status')
  let timer: ReturnType<typeof setTimeout> | undefined
  const say = (word: string) => {
    button.textContent = word
    said.textContent = word
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = words.copy
      said.textContent = ''
    }, SAID_MS)
  }
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say(words.copied)
    } catch {
      // Without the right to the clipboard the text is selected, ready for the person's own key.
      getSelection()?.selectAllChildren(code)
      say(words.selected)
    }
  }
  box.append(code, button, said)
  return box
}

function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name, text = '', className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.textContent = text
  if (className) element.className = className
  return element
}
