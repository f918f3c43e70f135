// The welcome page: how to connect an agent, with what to copy, and whether one is connected.
//
// Plain DOM. It draws what it is given; copying is the browser's own.
import { strings } from '../../strings'

const words = strings.welcome

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
}

export class Welcome {
  readonly element = document.createElement('div')
  private readonly status = document.createElement('p')
  private readonly heading = document.createElement('h1')
  private readonly hint = document.createElement('p')
  private readonly clients = document.createElement('div')

  constructor() {
    this.element.className = 'openspace-welcome'
    this.status.className = 'openspace-welcome-status'
    this.status.setAttribute('role', 'status')
    const title = document.createElement('h2')
    title.textContent = words.connect
    const about = document.createElement('p')
    about.textContent = words.about
    this.clients.className = 'openspace-welcome-clients'
    const keys = document.createElement('h2')
    keys.textContent = words.keys
    this.element.append(this.heading, this.hint, this.status, title, about, this.clients, keys, keyList())
  }

  show({ workspace, isEmpty, agents }: WelcomeState): void {
    this.heading.textContent = words.heading(workspace)
    this.hint.textContent = isEmpty ? words.emptyFolder : words.intro
    const isConnected = agents.length > 0
    this.status.classList.toggle('connected', isConnected)
    this.status.textContent = isConnected ? words.connected(agents.join(', ')) : words.waiting
  }

  offer(clients: ConnectableClient[]): void {
    this.clients.replaceChildren(...clients.map((client, index) => card(client, index === 0)))
  }

  fail(message: string): void {
    const text = document.createElement('p')
    text.textContent = message
    this.clients.replaceChildren(text)
  }
}

function card({ title, command, file, text }: ConnectableClient, isOpen: boolean): HTMLElement {
  const details = document.createElement('details')
  details.open = isOpen
  details.name = 'openspace-client'
  const summary = document.createElement('summary')
  summary.textContent = title
  const byFile = document.createElement('p')
  byFile.textContent = words.orFile(file)
  details.append(summary, copyable(command), byFile, copyable(text))
  return details
}

function copyable(text: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'openspace-copy'
  const code = document.createElement('pre')
  code.textContent = text
  code.tabIndex = 0
  const button = document.createElement('button')
  button.textContent = words.copy
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = words.copied
    } catch {
      // Without the right to the clipboard the text is selected, ready for the person's own key.
      getSelection()?.selectAllChildren(code)
      button.textContent = words.selected
    }
    setTimeout(() => (button.textContent = words.copy), 2_000)
  }
  box.append(code, button)
  return box
}

function keyList(): HTMLElement {
  const list = document.createElement('dl')
  for (const [key, what] of words.keyList) {
    const term = document.createElement('dt')
    const keyboard = document.createElement('kbd')
    keyboard.textContent = key
    term.append(keyboard)
    const meaning = document.createElement('dd')
    meaning.textContent = what
    list.append(term, meaning)
  }
  return list
}
