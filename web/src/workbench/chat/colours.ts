// Code in an answer gets the colours that it has in an editor: by the workbench's own grammars.
import { getService, ILanguageService } from '@codingame/monaco-vscode-api'
import type { Token } from '../../panels/chat/code-block'
import { TokenizationRegistry } from '../core/upstream'

/** What is said of a piece: where its colour and its style stand in the number. */
const COLOUR_SHIFT = 15
const COLOUR_MASK = 0b1_1111_1111
const STYLE_SHIFT = 11
const STYLES: [bit: number, className: string][] = [[1, 'mtki'], [2, 'mtkb'], [4, 'mtku']]
/** Names that people write and that no language goes by. */
const OTHER_NAMES: Record<string, string> = {
  sh: 'shellscript', console: 'shellscript', zsh: 'shellscript', jsonc: 'json',
}

/** The lines of a code; nothing where the language is not known. */
export async function coloured(code: string, language: string): Promise<Token[][] | undefined> {
  const languages = await getService(ILanguageService)
  const written = language.toLowerCase()
  const id = languages.getLanguageIdByLanguageName(OTHER_NAMES[written] ?? written)
    ?? languages.guessLanguageIdByFilepathOrFirstLine({ path: `/x.${written}` } as never)
  if (!id || id === 'plaintext' || id === 'unknown') return undefined
  const grammar = await TokenizationRegistry.getOrCreate(id)
  if (!grammar) return undefined
  let state = grammar.getInitialState()
  return code.split('\n').map((line) => {
    const { tokens, endState } = grammar.tokenizeEncoded(line, true, state)
    state = endState
    return pieces(line, tokens)
  })
}

function pieces(line: string, tokens: Uint32Array): Token[] {
  const found: Token[] = []
  for (let index = 0; index < tokens.length; index += 2) {
    const start = tokens[index] ?? 0
    const about = tokens[index + 1] ?? 0
    const text = line.slice(start, tokens[index + 2] ?? line.length)
    if (text === '') continue
    const style = about >>> STYLE_SHIFT
    const styles = STYLES.filter(([bit]) => (style & bit) !== 0).map(([, className]) => className)
    found.push({ text, className: [`mtk${(about >>> COLOUR_SHIFT) & COLOUR_MASK}`, ...styles].join(' ') })
  }
  return found
}
