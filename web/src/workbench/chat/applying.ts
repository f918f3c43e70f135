// Puts code of an answer into a file. It becomes unsaved text: the person sees it and saves it, or undoes it.
import { getService, IEditorService } from '@codingame/monaco-vscode-api'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import { pathOf } from '../core/uris'

const words = strings.chat.apply

export async function applyCode({ api }: Workbench, code: string, language: string): Promise<void> {
  const active = api.window.activeText()
  const path = active && pathOf(active.uri)
  const ways = [
    ...(active && path !== undefined
      ? [
        { label: active.selection.isEmpty() ? words.insert(path) : words.replaceSelection(path), way: 'here' as const },
        { label: words.replaceAll(path), way: 'all' as const },
      ]
      : []),
    { label: words.newFile, way: 'new' as const },
  ]
  const chosen = await api.window.showQuickPick(ways, { placeHolder: words.where })
  if (!chosen) return
  if (chosen.way === 'new' || !active) {
    const editors = await getService(IEditorService)
    const options = { pinned: true }
    await editors.openEditor({ resource: undefined, contents: code, languageId: language || undefined, options })
    return
  }
  const range = chosen.way === 'all' ? active.text.getFullModelRange() : active.selection
  // Each is one step that can be undone.
  active.editor.pushUndoStop()
  active.editor.executeEdits('openspace.chat', [{ range, text: code, forceMoveMarkers: true }])
  active.editor.pushUndoStop()
  active.editor.focus()
}
