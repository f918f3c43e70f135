// In which texts short forms are known, and which.

/** The name by which people's keys know it from VS Code. */
export const EXPAND = 'editor.emmet.action.expandAbbreviation'

/** A language whose short forms there are. */
export const KINDS = ['html', 'jsx', 'xml', 'css', 'scss', 'sass', 'less'] as const
export type Kind = (typeof KINDS)[number]

export interface Syntax {
  name: Kind
  isStyle: boolean
}

interface Settings {
  get<T>(name: string, otherwise: T): T
}

/** Of themselves they are known in these; elsewhere when the person says so. */
const OWN: Record<string, Kind> = { html: 'html', xml: 'xml', css: 'css', scss: 'scss', less: 'less' }
/** By other names that people give them. */
const OTHERS: Record<string, Kind> = { javascriptreact: 'jsx', typescriptreact: 'jsx', javascript: 'jsx' }

export function syntaxOf(language: string, settings: Settings): Syntax | undefined {
  if (settings.get<string[]>('excludeLanguages', []).includes(language)) return undefined
  const chosen = settings.get<Record<string, string>>('includeLanguages', {})[language]
  const named = chosen === undefined ? undefined : OTHERS[chosen] ?? KINDS.find((kind) => kind === chosen)
  // Who asks for HTML in a file of React means what React calls its attributes.
  const name = named === 'html' && OTHERS[language] ? 'jsx' : named ?? OWN[language]
  return name && { name, isStyle: ['css', 'scss', 'sass', 'less'].includes(name) }
}
