// Names of languages that the workbench lacks. Plain data.
import type { LanguageKind } from '../../../protocol/languages'

interface Known {
  id: string
  extensions?: string[]
  filenames?: string[]
}

/** What of these has to be added to what is known. */
export function missingKinds(kinds: readonly LanguageKind[], known: readonly Known[]): Known[] {
  const ids = new Set(known.map(({ id }) => id))
  const taken = new Set(known.flatMap(({ extensions = [], filenames = [] }) => [...extensions, ...filenames]))
  return kinds.flatMap(({ id, extensions, names }) => {
    const free = (all: readonly string[]) => all.filter((one) => !taken.has(one))
    const more = { extensions: free(extensions), filenames: free(names) }
    const isMore = more.extensions.length > 0 || more.filenames.length > 0
    return isMore || !ids.has(id) ? [{ id, ...more }] : []
  })
}
