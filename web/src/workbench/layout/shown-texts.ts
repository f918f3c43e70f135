// Texts without a file that no tab shows get one when the page starts: nobody could find them, and the next new text
// would have their name. A comparison leaves such a text when it is closed, of which the workbench asks for one side
// alone.
import { getService, IEditorService, IUntitledTextEditorService } from '@codingame/monaco-vscode-api'
import type { Space } from '../../protocol/space'
import { IN_BACKGROUND } from '../core/panes'
import { isUntitled, uriOfContent } from '../core/uris'

/** To be done when all tabs of before are there. */
export async function showUntitledTexts(space: Space): Promise<void> {
  const [editors, texts] = await Promise.all([getService(IEditorService), getService(IUntitledTextEditorService)])
  for (const name of Object.keys(space.part('buffers')).filter(isUntitled)) {
    const resource = uriOfContent(name)
    if (!texts.get(resource)) await editors.openEditor({ resource, options: { ...IN_BACKGROUND, inactive: true } })
  }
}
