// Unsaved text that is shared, as features other than the text see it.
import type { IPosition } from 'monaco-editor'
import type { Listeners } from '../../protocol/listeners'

/** What the files know of the contents that editors have. */
export interface FileVersions {
  /** An editor's text, which it has as of `mtime`, was brought in step with this content by other means. */
  adopt(path: string, token: string, mtime?: number): void
}

export interface SharedText {
  /** Unsaved text got somebody's edits; `position` is where the last of them ends. */
  onShown: Listeners<{ path: string; by: string; position: IPosition }>
}
