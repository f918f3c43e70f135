// What a page keeps for its next start beside the layout, which is the server's: the numbers of its groups, by which
// the workbench keeps carets and scrolling; the pane that the person was in, because the server's active one is where
// agents go on; what had the keyboard instead; the share of which the panel's height was made; and the
// terminals that the person has seen there: the panel opens by itself for others alone.
//
// Only keeps. What cannot be read is as if there had been nothing: the page then starts like a new one.
import { StorageScope, StorageTarget, type IStorageService } from '@codingame/monaco-vscode-api'
import type { Focused } from './view-focus'

const KEY = 'openspace.arrangement'

interface Arranged {
  /** The number of each pane's group. */
  groups: Record<string, number>
  /** The pane that the person was in last. */
  active: string | null
  /** The view or terminal that had the keyboard, if it was not in a pane. */
  focused?: Focused
  panelShare: number
  /** The terminals of the panel, whether it was open or not. */
  terminals: string[]
}

export class KeptArrangement {
  /** How it was when the page was last left; nothing when nobody was here before. */
  readonly before: Arranged | undefined

  constructor(private readonly storage: IStorageService) {
    this.before = read(storage.get(KEY, StorageScope.WORKSPACE))
  }

  /** From now on keep what `now` says, whenever the workbench writes its state; nothing, and what was kept stands. */
  keep(now: () => Arranged | undefined): void {
    this.storage.onWillSaveState(() => {
      const arranged = now()
      if (!arranged) return
      this.storage.store(KEY, JSON.stringify(arranged), StorageScope.WORKSPACE, StorageTarget.MACHINE)
    })
  }
}

function read(text: string | undefined): Arranged | undefined {
  if (text === undefined) return undefined
  try {
    const { groups, active, focused, panelShare, terminals } = JSON.parse(text) as Partial<Arranged>
    return {
      groups: groups ?? {}, active: active ?? null, focused, panelShare: panelShare ?? 0, terminals: terminals ?? [],
    }
  } catch (error) {
    console.warn('what was kept of the arrangement cannot be read', error)
    return undefined
  }
}
