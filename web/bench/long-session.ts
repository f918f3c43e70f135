// A session of many messages as `opencode export` writes it.
const SESSION = `ses_${'0'.repeat(12)}${'L'.repeat(14)}`
const BEGAN = 1_700_000_000_000
const PARAGRAPH = 'Each of these messages has some words, so that lines are broken, and `code` in them.'
const CODE = '```ts\nexport const answer = (question: string): number => question.length\n```'

/** Words that only the last message has. */
export const LAST = 'the very last words'

/** A session in this folder in which a person asks and an agent answers, in turn. */
export function longSession(folder: string, messages: number): object {
  const model = { providerID: 'scripted', modelID: 'scripted' }
  const of = (number: number) => {
    const info = { id: id('msg', number), sessionID: SESSION }
    const said = number % 2 === 0 ? ask(number) : answer(number, number === messages - 1)
    const part = { id: id('prt', number), messageID: info.id, sessionID: SESSION, type: 'text', text: said }
    const time = { created: BEGAN + number * 1000, completed: BEGAN + number * 1000 + 500 }
    if (number % 2 === 0) {
      return { info: { ...info, role: 'user', time: { created: time.created }, agent: 'build', model }, parts: [part] }
    }
    const tokens = { total: 120, input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } }
    return {
      info: {
        ...info, ...model, role: 'assistant', parentID: id('msg', number - 1), time, mode: 'build', agent: 'build',
        path: { cwd: folder, root: folder }, cost: 0, tokens, finish: 'stop',
      },
      parts: [part],
    }
  }
  const time = { created: BEGAN, updated: BEGAN + messages * 1000 }
  return {
    info: {
      id: SESSION, slug: 'long', projectID: 'global', directory: folder, path: '', title: 'A long session',
      version: '1.18.33', time,
    },
    messages: Array.from({ length: messages }, (_, number) => of(number)),
  }
}

const ask = (number: number) => `Question ${number}?`

const answer = (number: number, isLast: boolean) =>
  `## Answer ${number}\n\n${PARAGRAPH.repeat((number % 5) + 1)}\n\n- one\n- two\n\n${CODE}\n\n${isLast ? LAST : ''}`

/** Ids follow each other. */
const id = (kind: string, number: number) =>
  `${kind}_${(0xb0_0000_0000 + number).toString(16).padStart(12, '0')}${'L'.repeat(14)}`
