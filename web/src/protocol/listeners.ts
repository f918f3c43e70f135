// A list of listeners: the smallest thing that can be subscribed to.

export interface Subscription {
  dispose(): void
}

export class Listeners<T> {
  private readonly listeners = new Set<(value: T) => void>()

  on(listener: (value: T) => void): Subscription {
    this.listeners.add(listener)
    return { dispose: () => this.listeners.delete(listener) }
  }

  /** Tell everybody; one that fails keeps none of the others from hearing it. */
  tell(value: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(value)
      } catch (error) {
        console.error('a listener failed', error)
      }
    }
  }
}
