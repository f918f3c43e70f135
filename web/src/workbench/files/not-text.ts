// What is no text is not edited as one: the workbench looks at the first bytes alone, and what it cannot read as
// text in a file that begins as one would be lost with the next save.
//
// Such a file is refused as the workbench refuses any binary file. Who opens it anyway may look at it and not write.
// A person who names another encoding, in which every byte is a character, gets what they ask for.
import { getService, IFilesConfigurationService, ITextFileService } from '@codingame/monaco-vscode-api'
import type { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { TextFileOperationError, TextFileOperationResult, wrapReadStream } from '../core/upstream'

/** Files of which is remembered that they are no text. */
const MOST_REMEMBERED = 1_000
const UTF8 = new Set(['utf8', 'utf8bom'])
/** UTF-16, which has a NUL in most characters. */
const MARKS = [[0xff, 0xfe], [0xfe, 0xff]]

export class NotText {
  private readonly paths = new Set<string>()

  /** A file was read. */
  saw(path: string, bytes: Uint8Array): void {
    this.paths.delete(path)
    if (isText(bytes)) return
    this.paths.add(path)
    const [oldest] = this.paths
    if (this.paths.size > MOST_REMEMBERED && oldest !== undefined) this.paths.delete(oldest)
  }

  async start(pathOf: (resource: Uri) => string | undefined): Promise<void> {
    const [texts, configuration] = await Promise.all([
      getService(ITextFileService), getService(IFilesConfigurationService),
    ])
    const locked = new Set<string>()
    wrapReadStream(texts, (read) => async (resource, options) => {
      const content = await read(resource, options)
      const isWrong = this.paths.has(pathOf(resource) ?? '') && UTF8.has(content.encoding)
      if (isWrong && options?.acceptTextOnly) {
        throw new TextFileOperationError(strings.files.notText, TextFileOperationResult.FILE_IS_BINARY, options)
      }
      // Only what was locked here is unlocked here: a person may have locked it for another reason.
      const path = resource.toString()
      if (isWrong) locked.add(path)
      if (isWrong || locked.delete(path)) await configuration.updateReadonly(resource, isWrong ? true : 'reset')
      return content
    })
  }
}

/** Whether bytes come back as they are when they are read as UTF-8 and written again. */
function isText(bytes: Uint8Array): boolean {
  if (MARKS.some((mark) => mark.every((byte, index) => bytes[index] === byte))) return true
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
