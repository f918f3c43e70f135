// Files outside the workspace that a language server has named, such as those of a standard library: to read.
import { sourceText } from '../../protocol/languages'
import type { Api } from '../core/api'
import { SOURCE_SCHEME } from '../core/tab-kinds'

export function registerSources(api: Api): void {
  api.workspace.registerTextDocumentContentProvider(SOURCE_SCHEME, {
    provideTextDocumentContent: ({ path }) => sourceText(path),
  })
}
