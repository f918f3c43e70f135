// Small helpers for plain DOM: elements, buttons, and a list that keeps the element of each of its items.
//
// Nothing here takes HTML: all text is text.

export function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name, text = '', className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  if (text) element.textContent = text
  if (className) element.className = className
  return element
}

/** A picture of the workbench's own font; it says nothing to those who hear the page. */
export function icon(name: string): HTMLElement {
  const element = made('span', '', `codicon codicon-${name}`)
  element.setAttribute('aria-hidden', 'true')
  return element
}

export function button(label: string, act: (event: MouseEvent) => void, className = ''): HTMLButtonElement {
  const element = made('button', label, className)
  element.type = 'button'
  element.onclick = act
  return element
}

/** A button with a picture and a name that is only heard, or seen when it is pointed at. */
export function iconButton(name: string, label: string, act: (event: MouseEvent) => void): HTMLButtonElement {
  const element = button('', act, 'icon')
  element.append(icon(name))
  nameIt(element, label)
  return element
}

export function nameIt(element: HTMLElement, label: string): void {
  element.title = label
  element.setAttribute('aria-label', label)
}

/** Change a text only where it differs: a selection in it stays. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

export interface View {
  readonly element: HTMLElement
  dispose?(): void
}

/** Shows items in an element of its own, each by one view as long as its key is there. */
export class KeyedList<Item, Shown extends View> {
  private readonly views = new Map<string, Shown>()

  constructor(
    readonly parent: HTMLElement,
    private readonly key: (item: Item) => string,
    private readonly make: (item: Item) => Shown,
    private readonly update: (view: Shown, item: Item) => void,
  ) {}

  show(items: readonly Item[]): void {
    const keys = new Set(items.map(this.key))
    for (const [key, view] of this.views) {
      if (keys.has(key)) continue
      view.element.remove()
      view.dispose?.()
      this.views.delete(key)
    }
    let next = this.parent.firstElementChild
    for (const item of items) {
      const key = this.key(item)
      const view = this.views.get(key) ?? this.make(item)
      this.views.set(key, view)
      this.update(view, item)
      if (view.element === next) next = next.nextElementSibling
      else this.parent.insertBefore(view.element, next)
    }
  }

  get(key: string): Shown | undefined {
    return this.views.get(key)
  }
}
