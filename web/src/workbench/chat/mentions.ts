// What the words of a prompt mention: `@src/main.rs`, `@src/main.rs:3-9`, `@explore`.
import type { Attachment } from '../../protocol/chat-words'

export interface Mention {
  text: string
  start: number
  end: number
  name: string
  line: number | undefined
  endLine: number | undefined
}

/** Mentions of one prompt that are looked at. */
const MOST_MENTIONS = 20

export function mentionsIn(text: string): Mention[] {
  const found: Mention[] = []
  for (const match of text.matchAll(/(?<![^\s(])@([^\s@]{1,500})/g)) {
    const [, whole = ''] = match
    // The sign of its sentence is not its own.
    const bare = whole.replace(/[,;!?)]+$|\.$/, '')
    const [, name = '', first, last] = /^(.+?)(?::(\d{1,7})(?:-(\d{1,7}))?)?$/.exec(bare) ?? []
    if (name === '') continue
    found.push({
      text: `@${bare}`, start: match.index, end: match.index + bare.length + 1, name,
      line: first === undefined ? undefined : Number(first), endLine: last === undefined ? undefined : Number(last),
    })
    if (found.length >= MOST_MENTIONS) break
  }
  return found
}

/** What is mentioned as what goes with the prompt. What is no agent and no file is only a word. */
export async function mentioned(
  text: string, agents: readonly string[], isFile: (path: string) => Promise<boolean>,
): Promise<Attachment[]> {
  const found: Attachment[] = []
  for (const { name, line, endLine, ...mention } of mentionsIn(text)) {
    const span = { text: mention.text, start: mention.start, end: mention.end }
    if (agents.includes(name)) found.push({ type: 'agent', name, mention: span })
    else if (await isFile(name)) {
      const lines = line === undefined ? {} : { line, ...(endLine === undefined ? {} : { endLine }) }
      found.push({ type: 'file', path: name, ...lines, mention: span })
    }
  }
  return found
}

/** `/name words` at the beginning of a prompt. */
export function slashIn(text: string): { name: string; words: string } | undefined {
  const [, name, words = ''] = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  return name === undefined ? undefined : { name, words }
}
