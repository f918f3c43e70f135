// Edits that a server makes while it runs a command that this page asked it for: the workbench makes them, as one
// step that can be undone.
import { IBulkEditService, getService } from '@codingame/monaco-vscode-api'
import { Failure } from '../../protocol/failure'
import type { Applying } from '../../protocol/languages'
import { strings } from '../../strings'
import { uriOf } from '../core/uris'
import { workspaceEditOf } from './convert/edits'
import { versionOf, type ShownTexts } from './texts'

export async function startApplying(texts: ShownTexts): Promise<Applying> {
  const bulk = await getService(IBulkEditService)
  return async ({ label, changes }) => {
    try {
      await texts.check(changes)
    } catch (error) {
      if (error instanceof Failure) return error.message
      throw error
    }
    const byPath = Object.fromEntries(changes.map(({ path, edits }) => [path, edits]))
    const edit = workspaceEditOf({ changes: byPath }, uriOf, versionOf)
    const { isApplied } = await bulk.apply(edit, { respectAutoSaveConfig: true, ...(label && { label }) })
    return isApplied ? undefined : strings.languages.notEdited
  }
}
