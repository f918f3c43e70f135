// What the person has in hand: a pressed pointer, a dragged tab, a character that is being composed.
//
// A border that is dragged makes a change with every frame, and a grid that is rebuilt beneath a drag or a
// composition breaks it off. So nothing is told and nothing is applied until the hands are free again.
import { Listeners } from '../../protocol/listeners'

export class Hands {
  /** They were let go. */
  readonly onFree = new Listeners<void>()
  private readonly held = new Set<'pointer' | 'drag' | 'composition'>()

  constructor() {
    const on = (name: string, listener: (event: Event) => void) =>
      window.addEventListener(name, listener, { capture: true, passive: true })
    on('pointerdown', () => this.held.add('pointer'))
    on('dragstart', () => this.held.add('drag'))
    on('compositionstart', () => this.held.add('composition'))
    for (const name of ['pointerup', 'pointercancel']) on(name, () => this.free('pointer'))
    for (const name of ['drop', 'dragend']) on(name, () => this.free('drag'))
    on('compositionend', () => this.free('composition'))
    // The end of a drag is told to what was dragged, which may be gone by then; a button may be let go elsewhere.
    on('pointermove', (event) => {
      if ((event as PointerEvent).buttons === 0) this.free('pointer', 'drag')
    })
    on('blur', (event) => {
      if (event.target === window) this.free('pointer', 'composition')
    })
  }

  get areFree(): boolean {
    return this.held.size === 0
  }

  private free(...what: ('pointer' | 'drag' | 'composition')[]): void {
    const wereFree = this.areFree
    for (const one of what) this.held.delete(one)
    if (!wereFree && this.areFree) this.onFree.tell()
  }
}
