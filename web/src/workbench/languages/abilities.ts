// What can be asked about texts of each language, of whichever servers there are for it. Plain data.
import type { LanguageServer } from '../../protocol/languages'

export type Options = Record<string, unknown>

/** Something that is offered for a language, by which servers and with which options. */
export interface Ability {
  language: string
  method: string
  options: { server: string; options: Options }[]
}

/** Of these the page knows as much by itself (`json/language.ts`), and twice the same helps nobody. */
const OWN: Record<string, readonly string[]> = {
  json: ['textDocument/completion', 'textDocument/hover'],
  jsonc: ['textDocument/completion', 'textDocument/hover'],
}

/** By a name that is the same as long as nothing about it is another. */
export function abilitiesOf(servers: readonly LanguageServer[]): Map<string, Ability> {
  const all = new Map<string, Ability>()
  for (const { server, languages, abilities, state } of servers) {
    if (state === 'stopped' || state === 'failed') continue
    for (const language of languages) {
      for (const [method, value] of Object.entries(abilities)) {
        if (value === null || value === undefined || value === false) continue
        if (OWN[language]?.includes(method)) continue
        const key = JSON.stringify([language, method])
        const ability = all.get(key) ?? { language, method, options: [] }
        ability.options.push({ server, options: typeof value === 'object' ? (value as Options) : {} })
        all.set(key, ability)
      }
    }
  }
  return new Map([...all.values()].map((ability) => [JSON.stringify(ability), ability]))
}

/** All texts of a list that any server has in its options. */
export function union({ options }: Ability, name: string): string[] {
  const lists = options.map((one) => one.options[name])
  const texts = lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [list]))
  return [...new Set(texts.filter((text) => typeof text === 'string'))]
}

export function has({ options }: Ability, name: string): boolean {
  return options.some((one) => one.options[name] !== undefined && one.options[name] !== false)
}
