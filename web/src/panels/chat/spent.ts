// What a turn took: an agent makes a message of each step of it, and a person wants to know it once, at the end.
import type { Message, Usage } from '../../protocol/chat-words'
import { strings } from '../../strings'

/** For each message what its turn took, in words; empty for all that are not the last of one, or not over. */
export function spentOf(messages: readonly Message[], isBusy: boolean): string[] {
  const words: string[] = []
  let usage: Usage | null = null
  let cost: number | null = null
  let began: number | undefined
  for (const [index, { info }] of messages.entries()) {
    words.push('')
    if (info.role === 'user') {
      usage = null
      cost = null
      began = undefined
      continue
    }
    if (info.usage) usage = usage ? sum(usage, info.usage) : info.usage
    if (info.cost !== null) cost = (cost ?? 0) + info.cost
    began ??= info.created
    const next = messages[index + 1]
    if (next?.info.role === 'assistant' || (isBusy && !next)) continue
    words[index] = strings.chat.cost(usage, cost, info.completed === null ? undefined : info.completed - began)
  }
  return words
}

function sum(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input, output: one.output + other.output, reasoning: one.reasoning + other.reasoning,
    cacheRead: one.cacheRead + other.cacheRead, cacheWrite: one.cacheWrite + other.cacheWrite,
  }
}
