// Keeps what the workbench is told that can be asked in step with what servers can do.
import type { LanguageServer } from '../../protocol/languages'
import type { IDisposable } from '../core/upstream'
import { abilitiesOf, type Ability } from './abilities'

/** Tells the workbench of a method for a language. */
export type Register = (ability: Ability) => IDisposable | undefined

export class Registrations {
  private readonly kept = new Map<string, IDisposable | undefined>()

  constructor(private readonly methods: Readonly<Record<string, Register>>) {}

  update(servers: readonly LanguageServer[]): void {
    const wanted = abilitiesOf(servers)
    for (const [key, registration] of [...this.kept]) {
      if (wanted.has(key)) continue
      registration?.dispose()
      this.kept.delete(key)
    }
    for (const [key, ability] of wanted) {
      if (!this.kept.has(key)) this.kept.set(key, this.methods[ability.method]?.(ability))
    }
  }
}
