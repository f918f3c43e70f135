// Files as git has them, as documents of the workbench: the left side of every diff.
import { Emitter, Uri } from 'monaco-editor'
import { contentIn } from '../../protocol/files'
import type { Api } from '../core/api'
import { GIT_SCHEME } from '../core/tab-kinds'
import { pathOf, uriOf } from '../core/uris'
import { sideOf } from './conflict-sides'

/**
 * A commit, what is staged, a side of the conflicts that are in the file itself, or a side of the merge as git keeps
 * it (`:1` before both, `:2` here, `:3` what is merged).
 */
export type Revision = 'index' | 'current' | 'incoming' | `:${1 | 2 | 3}` | (string & {})

/** Sides of a merge are what they are; when it is over, git has none, and who still looks at them keeps them. */
const isSide = ({ query }: Uri): boolean => query.startsWith(':')

/** Where a file is not there: the side of a diff that is empty. */
export const NOTHING = 'nothing'

/** The address of a file at a revision. */
export function gitUri(uri: Uri, revision: Revision): Uri {
  return Uri.from({ scheme: GIT_SCHEME, path: uri.path, query: revision })
}

export class GitContents {
  private readonly changed = new Emitter<Uri>()

  constructor(private readonly api: Api) {
    api.workspace.registerTextDocumentContentProvider(GIT_SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: (uri) => this.read(uri),
    })
  }

  /** Git moved on: what is shown of it is read again. */
  refresh(): void {
    for (const { uri } of this.api.workspace.textDocuments) {
      if (uri.scheme === GIT_SCHEME && !isSide(uri)) this.changed.fire(uri)
    }
  }

  private async read(uri: Uri): Promise<string> {
    const path = pathOf({ scheme: 'file', path: uri.path })
    if (path === undefined || uri.query === NOTHING) return ''
    if (uri.query === 'current' || uri.query === 'incoming') {
      return sideOf(await this.api.workspace.readText(uriOf(path)), uri.query)
    }
    // A file that git does not have there is empty.
    return new TextDecoder().decode(await contentIn(uri.query, path))
  }
}
