// Edits that a server makes while it runs a command that this page asked it for: the workbench makes them, as one
// step that can be undone.
import { IBulkEditService, getService } from '@codingame/monaco-vscode-api'
import { editor as monacoEditor, type Uri } from 'monaco-editor'
import type { Applying, FileEdits } from '../../protocol/languages'
import { hashOf } from '../../protocol/text-hash'
import { strings } from '../../strings'
import type { SharedText } from '../core/shared-text'
import { EndOfLinePreference } from '../core/upstream'
import { uriOf } from '../core/uris'
import { textEditsOf } from './convert/edits'

const words = strings.languages

/** The version of a text that is open here. */
export function versionOf(uri: Uri): number | undefined {
  return monacoEditor.getModel(uri)?.getVersionId()
}

export async function startApplying(text: SharedText): Promise<Applying> {
  const bulk = await getService(IBulkEditService)
  return async ({ label, changes }) => {
    for (const change of changes) {
      await text.said(change.path)
      if (!isSame(text, change)) return words.changedMeanwhile(change.path)
    }
    const edits = changes.flatMap(({ path, edits: ofFile }) => textEditsOf(ofFile).map((textEdit) => {
      const resource = uriOf(path)
      return { resource, textEdit, versionId: versionOf(resource) }
    }))
    const { isApplied } = await bulk.apply({ edits }, { respectAutoSaveConfig: true, ...(label && { label }) })
    return isApplied ? undefined : words.notEdited
  }
}

/** A text that is not open here has no other lines than the server knows. */
function isSame(text: SharedText, { path, text: meant }: FileEdits): boolean {
  const model = monacoEditor.getModel(uriOf(path))
  if (!meant || !model) return true
  const version = text.versionOf(path)
  if ('version' in meant) return version === meant.version
  return version === undefined && hashOf(model.getValue(EndOfLinePreference.LF as number)) === meant.hash
}
