// What the person said lately, in whatever session, so that the arrows bring it back in a new one. It is kept with how
// the page looks, for this workspace, within bounds.
import { StorageScope, StorageTarget, type IStorageService } from '@codingame/monaco-vscode-api'

const KEPT = 'openspace.chat.said'
const MOST = 30
/** Characters of one; longer ones are in their session alone. */
const LONGEST = 2_000

export class Said {
  private said: readonly string[]

  constructor(private readonly storage: IStorageService) {
    this.said = read(storage.get(KEPT, StorageScope.WORKSPACE))
  }

  /** Oldest first. */
  get all(): readonly string[] {
    return this.said
  }

  add(text: string): void {
    const said = text.trim()
    if (said === '' || said.length > LONGEST) return
    this.said = [...this.said.filter((known) => known !== said), said].slice(-MOST)
    this.storage.store(KEPT, JSON.stringify(this.said), StorageScope.WORKSPACE, StorageTarget.MACHINE)
  }
}

function read(kept: string | undefined): string[] {
  try {
    const said: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(said) ? said.filter((text) => typeof text === 'string') : []
  } catch {
    // Of another version of the page: it begins anew.
    return []
  }
}
