// Edits that servers propose, as the workbench's bulk edit makes them: with its preview, and one step to undo.
import type * as lsp from 'vscode-languageserver-types'
import type { Uri } from 'monaco-editor'
import type { lang } from '../../core/upstream'
import { Failure } from '../../../protocol/failure'
import { strings } from '../../../strings'
import { rangeOf, type ToUri } from './places'

const words = strings.languages

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
  const fileOf = (address: string): Uri => {
    const uri = toUri(address)
    if (uri?.scheme !== 'file') throw new Failure('denied', words.notOfWorkspace(address))
    return uri
  }
  const metadataOf = ({ annotationId }: Annotated, address: string) =>
    confirmation(address) ?? metadata(edit.changeAnnotations, annotationId)
  const texts = (address: string, changes: readonly lsp.TextEdit[]): Edit[] => {
    const resource = fileOf(address)
    const versionId = versionOf(resource)
    return changes.map((change) => ({
      resource,
      versionId,
      textEdit: { range: rangeOf(change.range), text: change.newText },
      ...metadataOf(change as Annotated, address),
    }))
  }
  if (!edit.documentChanges) {
    return { edits: Object.entries(edit.changes ?? {}).flatMap(([address, changes]) => texts(address, changes)) }
  }
  const edits = edit.documentChanges.flatMap((change): Edit[] => {
    if ('textDocument' in change) return texts(change.textDocument.uri, change.edits.filter(isPlain))
    return [fileEditOf(change, fileOf, metadataOf)]
  })
  return { edits }
}

/** Servers are not told that snippets in edits could be made, so none comes. */
function isPlain(edit: lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit): edit is lsp.TextEdit {
  return 'newText' in edit
}

type Metadata = { metadata?: lang.WorkspaceEditMetadata }

function fileEditOf(
  change: lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile, fileOf: (address: string) => Uri,
  metadataOf: (change: Annotated, address: string) => Metadata | undefined,
): lang.IWorkspaceFileEdit {
  const options = { ...change.options }
  if (change.kind === 'rename') {
    const [oldResource, newResource] = [fileOf(change.oldUri), fileOf(change.newUri)]
    return { oldResource, newResource, options, ...metadataOf(change, change.newUri) }
  }
  const resource = fileOf(change.uri)
  const where = change.kind === 'create' ? { newResource: resource } : { oldResource: resource }
  return { ...where, options, ...metadataOf(change, change.uri) }
}

function metadata(annotations: lsp.WorkspaceEdit['changeAnnotations'], id: string | undefined): Metadata | undefined {
  const annotation = id === undefined ? undefined : annotations?.[id]
  if (!annotation) return undefined
  const { label, description, needsConfirmation = false } = annotation
  return { metadata: { label, needsConfirmation, ...(description !== undefined && { description }) } }
}

/** Settings, hooks and the like say what programs run: what is hidden is not edited before it was seen. */
function confirmation(address: string): Metadata | undefined {
  const isHidden = /(^|\/)(\.|%2e)[^/]/i.test(address)
  return isHidden ? { metadata: { label: words.hiddenFile, needsConfirmation: true } } : undefined
}
