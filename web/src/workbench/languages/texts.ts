// Which text a page shows of a file, in the word by which the server knows it.
import { editor as monacoEditor, type Uri } from 'monaco-editor'
import { Failure } from '../../protocol/failure'
import type { KnownText, ShownText } from '../../protocol/languages'
import { hashOf } from '../../protocol/text-hash'
import { strings } from '../../strings'
import type { SharedText } from '../core/shared-text'
import { EndOfLinePreference } from '../core/upstream'
import { uriOf } from '../core/uris'

/** What of a text of the editor is needed. */
interface Text {
  getVersionId(): number
  getValue(end: number): string
}

export class ShownTexts {
  private readonly hashes = new WeakMap<Text, { version: number; hash: string }>()

  constructor(private readonly shared: SharedText) {}

  /** Once the server knows all that was typed. */
  async nameOf(path: string, text: Text): Promise<ShownText> {
    await this.shared.said(path)
    const version = this.shared.versionOf(path)
    if (version !== undefined) return { version }
    const known = this.hashes.get(text)
    if (known?.version === text.getVersionId()) return { hash: known.hash }
    const hash = hashOf(text.getValue(EndOfLinePreference.LF))
    this.hashes.set(text, { version: text.getVersionId(), hash })
    return { hash }
  }

  /** Edits are about these texts: fails where the page shows another. What is not open here has no other lines. */
  async check(meant: readonly KnownText[]): Promise<void> {
    for (const { path, text } of meant) {
      const model = monacoEditor.getModel(uriOf(path))
      if (!model || !text) continue
      const shown = await this.nameOf(path, model)
      if (JSON.stringify(shown) !== JSON.stringify(text)) {
        throw new Failure('changed', strings.languages.changedMeanwhile(path))
      }
    }
  }
}

/** The version of a text that is open here. */
export function versionOf(uri: Uri): number | undefined {
  return monacoEditor.getModel(uri)?.getVersionId()
}
