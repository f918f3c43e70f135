// Which terminals of the panel are side by side, so that they are again after a reload.
//
// The server's layout knows which terminals the panel has and in which order, not how each browser groups them:
// that is the state of a person's UI, kept with the rest of it.
import { getService, IStorageService, StorageScope, StorageTarget } from '@codingame/monaco-vscode-api'

const KEY = 'openspace.terminalSplits'
/** Terminals whose place is kept. */
const MOST_KEPT = 200

export class Splits {
  private constructor(private readonly storage: IStorageService) {}

  static async find(): Promise<Splits> {
    return new Splits(await getService(IStorageService))
  }

  /** Those that were side by side when the page was left, as far as they are still there. */
  kept(ids: readonly string[]): string[][] {
    const groups = this.storage.getObject<object>(KEY, StorageScope.WORKSPACE, [])
    if (!isGroups(groups)) return []
    const present = new Set(ids)
    return groups.map((group) => group.filter((id) => present.delete(id))).filter(({ length }) => length > 1)
  }

  keep(groups: string[][]): void {
    const split = groups.filter(({ length }) => length > 1).slice(0, MOST_KEPT)
    const text = JSON.stringify(split)
    if (text === this.storage.get(KEY, StorageScope.WORKSPACE, '[]')) return
    this.storage.store(KEY, text, StorageScope.WORKSPACE, StorageTarget.MACHINE)
  }
}

function isGroups(value: unknown): value is string[][] {
  const isGroup = (group: unknown) => Array.isArray(group) && group.every((id) => typeof id === 'string')
  return Array.isArray(value) && value.every(isGroup)
}
