// What `.editorconfig` files say of a file: those of its folder and of the folders above, up to one that is a root.
import { glob, type Matches } from './globs'

/** What is said, in the form in which an editor needs it; what nobody says is left out. */
export interface Rules {
  insertSpaces?: boolean
  indentSize?: number
  tabSize?: number
  endOfLine?: '\n' | '\r\n'
  trim?: boolean
  finalNewline?: boolean
  ruler?: number
}

/** One file of rules. */
export interface RuleFile {
  /** Files above it do not count. */
  isRoot: boolean
  sections: { matches: Matches; said: [key: string, value: string][] }[]
}

/** Longer files are not read on. */
const MOST_LINES = 5_000
const MOST_WIDTH = 1_000

export function parse(text: string): RuleFile {
  const file: RuleFile = { isRoot: false, sections: [] }
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/).slice(0, MOST_LINES)) {
    const words = line.trim()
    if (words === '' || words.startsWith('#') || words.startsWith(';')) continue
    if (words.startsWith('[') && words.endsWith(']')) {
      file.sections.push({ matches: glob(words.slice(1, -1)), said: [] })
      continue
    }
    const [, key, value] = /^([^=]*?)\s*=\s*(.*)$/.exec(words) ?? []
    if (!key || value === undefined) continue
    const section = file.sections.at(-1)
    if (section) section.said.push([key.toLowerCase(), value.toLowerCase()])
    else if (key.toLowerCase() === 'root') file.isRoot = value.toLowerCase() === 'true'
  }
  return file
}

/** What the files say of a path; the nearest comes first, each with its folder (`''` is the workspace's). */
export function rulesFor(path: string, files: readonly { folder: string; file: RuleFile }[]): Rules {
  const until = files.findIndex(({ file }) => file.isRoot)
  const counted = until < 0 ? files : files.slice(0, until + 1)
  const said = new Map<string, string>()
  for (const { folder, file } of [...counted].reverse()) {
    const below = folder === '' ? path : path.slice(folder.length + 1)
    for (const { matches, said: pairs } of file.sections) {
      if (!matches(below)) continue
      for (const [key, value] of pairs) said.set(key, value)
    }
  }
  return rulesOf(said)
}

function rulesOf(said: Map<string, string>): Rules {
  const value = (key: string) => {
    const word = said.get(key)
    return word === 'unset' ? undefined : word
  }
  const number = (key: string) => {
    const read = Number(value(key))
    return Number.isInteger(read) && read > 0 && read <= MOST_WIDTH ? read : undefined
  }
  const flag = (key: string) => ({ true: true, false: false })[value(key) ?? '']
  const style = value('indent_style')
  const width = number('tab_width')
  // Indented by tabs, a step is as wide as a tab.
  const size = value('indent_size') === 'tab' ? width : number('indent_size') ?? (style === 'tab' ? width : undefined)
  const rules: Rules = {
    insertSpaces: style === 'space' ? true : style === 'tab' ? false : undefined,
    indentSize: size,
    tabSize: width ?? size,
    endOfLine: ({ lf: '\n', crlf: '\r\n' } as const)[value('end_of_line') ?? ''],
    trim: flag('trim_trailing_whitespace'),
    finalNewline: flag('insert_final_newline'),
    ruler: number('max_line_length'),
  }
  return Object.fromEntries(Object.entries(rules).filter(([, one]) => one !== undefined))
}
