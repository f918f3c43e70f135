// Unsaved text that is shared, as features other than the text see it.
import type { IPosition } from 'monaco-editor'
import type { FileSaveResult } from '../../protocol/generated'
import type { Listeners } from '../../protocol/listeners'

/** What the files know of the contents that editors have. */
export interface FileVersions {
  /** An editor's text, which it has as of `mtime`, was brought in step with this content by other means. */
  adopt(path: string, token: string, mtime?: number): void
  /** From now on this text is asked when the workbench writes the file. */
  share(path: string, text: WrittenText): { dispose(): void }
}

/** A shared text, as the files see it while the workbench writes it. */
export interface WrittenText {
  /**
   * The time that the text has for the workbench, while it is saved. What comes to the disk meanwhile is merged
   * into the text or told later, so it is not newer. Nothing when the text is not saved, or a person has to decide.
   */
  readonly heldTime: number | undefined
  /**
   * Have it written with what came to the disk meanwhile, which the server merges in: a page that looks and then
   * writes is never fast enough where others write all the time. Nothing when a person has to decide.
   */
  write(): Promise<FileSaveResult | undefined>
  /** It is on disk, as of this time. Whatever the workbench sees when it looks now, that is what it has. */
  wrote(time: number): void
}

export interface SharedText {
  /** Unsaved text got somebody's edits; `position` is where the last of them ends. */
  onShown: Listeners<{ path: string; by: string; position: IPosition }>
  /** Wait until the server knows everything that was typed into a file, or cannot be asked. */
  said(path: string): Promise<void>
  /** The version of a file's unsaved text, as the server counts; nothing when there is none or it is not known. */
  versionOf(path: string): number | undefined
}
