// Who in the workbench gets keys that were kept (`held-keys.ts`), and whether they are ready for them.
import { getService, ICodeEditorService, IKeybindingService, IQuickInputService } from '@codingame/monaco-vscode-api'
import { LOOK_MS, type KeyTakers } from './held-keys'

/** A list that is looked for in a large folder may be long in coming; a key is for what there is then. */
const MOST_LOOKS = 1_000

export async function keyTakers(): Promise<KeyTakers> {
  const [editors, keys, inputs] = await Promise.all([
    getService(ICodeEditorService), getService(IKeybindingService), getService(IQuickInputService),
  ])
  return {
    typeInEditor: (text) => {
      const editor = editors.getFocusedCodeEditor()
      if (!editor?.hasTextFocus()) return false
      editor.trigger('keyboard', 'type', { text })
      return true
    },
    isInChord: () => keys.inChordMode,
    isListed: async () => {
      for (let look = 0; look < MOST_LOOKS && inputs.currentQuickInput?.busy; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
  }
}
