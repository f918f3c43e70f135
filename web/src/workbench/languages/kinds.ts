// Languages that servers are known for and the workbench is not: without a name of its own, a text would be plain,
// and nobody would be asked about it. What the workbench knows keeps its languages.
import { languages } from 'monaco-editor'
import type { LanguageKind } from '../../protocol/languages'
import { missingKinds } from './convert/kinds'

export function registerKinds(kinds: readonly LanguageKind[]): void {
  // After a break of the connection they are told again; then nothing is missing any more.
  for (const kind of missingKinds(kinds, languages.getLanguages())) languages.register(kind)
}
