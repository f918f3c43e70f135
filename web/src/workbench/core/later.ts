// What a feature hands to others, and has only once it has started.

export class Later<T> {
  private value: T | undefined

  constructor(private readonly name: string) {}

  set(value: T): void {
    this.value = value
  }

  /** Asking too early is a mistake in the order of `start.ts`. */
  get(): T {
    if (this.value === undefined) throw new Error(`${this.name} was used before it had started`)
    return this.value
  }
}
