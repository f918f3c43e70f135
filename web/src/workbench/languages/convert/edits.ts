// Edits that servers propose, as the workbench's bulk edit makes them: with its preview, and one step to undo.
import type * as lsp from 'vscode-languageserver-types'
import type { Uri } from 'monaco-editor'
import type { lang } from '../../core/upstream'
import { rangeOf, type ToUri } from './places'

/** The version of a text that is open here; an edit of another one is refused. */
export type VersionOf = (uri: Uri) => number | undefined

type Edit = lang.WorkspaceEdit['edits'][number]
type Annotated = { annotationId?: string }

export function textEditsOf(edits: readonly lsp.TextEdit[] | null | undefined): lang.TextEdit[] {
  return (edits ?? []).map(({ range, newText }) => ({ range: rangeOf(range), text: newText }))
}

export function workspaceEditOf(
  edit: lsp.WorkspaceEdit | null | undefined, toUri: ToUri, versionOf: VersionOf,
): lang.WorkspaceEdit {
  if (!edit) return { edits: [] }
  const metadataOf = ({ annotationId }: Annotated) => metadata(edit.changeAnnotations, annotationId)
  const texts = (address: string, changes: readonly lsp.TextEdit[]): Edit[] => {
    const resource = toUri(address)
    const versionId = versionOf(resource)
    return changes.map((change) => ({
      resource,
      versionId,
      textEdit: { range: rangeOf(change.range), text: change.newText },
      ...metadataOf(change as Annotated),
    }))
  }
  if (!edit.documentChanges) {
    return { edits: Object.entries(edit.changes ?? {}).flatMap(([address, changes]) => texts(address, changes)) }
  }
  const edits = edit.documentChanges.flatMap((change): Edit[] => {
    if ('textDocument' in change) return texts(change.textDocument.uri, change.edits.filter(isPlain))
    return [{ ...fileEditOf(change, toUri), ...metadataOf(change) }]
  })
  return { edits }
}

/** Servers are not told that snippets in edits could be made, so none comes. */
function isPlain(edit: lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit): edit is lsp.TextEdit {
  return 'newText' in edit
}

function fileEditOf(change: lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile, toUri: ToUri): lang.IWorkspaceFileEdit {
  switch (change.kind) {
    case 'create':
      return { newResource: toUri(change.uri), options: { ...change.options } }
    case 'rename':
      return { oldResource: toUri(change.oldUri), newResource: toUri(change.newUri), options: { ...change.options } }
    case 'delete':
      return { oldResource: toUri(change.uri), options: { ...change.options } }
  }
}

function metadata(
  annotations: lsp.WorkspaceEdit['changeAnnotations'], id: string | undefined,
): { metadata?: lang.WorkspaceEditMetadata } {
  const annotation = id === undefined ? undefined : annotations?.[id]
  if (!annotation) return {}
  const { label, description, needsConfirmation = false } = annotation
  return { metadata: { label, needsConfirmation, ...(description !== undefined && { description }) } }
}
