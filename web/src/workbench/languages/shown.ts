// Tells the server which files have their text in an editor: their language servers are started, and what is wrong
// with them is kept current.
import { editor as monacoEditor, type IDisposable } from 'monaco-editor'
import type { LanguageChannel } from '../../protocol/languages'
import { pathOf } from '../core/uris'

export function tellShown(channel: LanguageChannel): void {
  let isWaiting = false
  const tell = () => {
    isWaiting = false
    const paths = monacoEditor.getEditors().map((editor) => pathOf(editor.getModel()?.uri))
    channel.show([...new Set(paths.filter((path) => path))].filter((path) => path !== undefined))
  }
  // A tab that is replaced is told once.
  const soon = () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(tell)
  }
  const follow = (editor: monacoEditor.ICodeEditor) => {
    const listening: IDisposable[] = [editor.onDidChangeModel(soon)]
    editor.onDidDispose(() => {
      for (const one of listening) one.dispose()
      soon()
    })
    soon()
  }
  monacoEditor.getEditors().forEach(follow)
  monacoEditor.onDidCreateEditor(follow)
}
