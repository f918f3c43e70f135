// The words of questions to the person, and of their answers.

/** The way that an answer came, after what it was. */
const CHANNELS: Record<string, (by: string) => string> = {
  browser: () => 'in another window',
  command_line: () => 'at the command line',
  page: () => 'on the one-time page',
  client: (by) => (by ? `in ${by}` : 'in the agent’s own client'),
}

const channelInWords = (channel: string, by: string): string => CHANNELS[channel]?.(by) ?? channel

/** A short while, as people say it. */
function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const approvals = {
  badge: (count: number) => `$(question) ${count === 1 ? '1 question' : `${count} questions`}`,
  badgeTooltip: (who: string, key: string | undefined) =>
    `${who} waits for your answer. Click to answer${key === undefined ? '' : ` (${key})`}.`,
  none: 'No agent asks anything now.',
  asks: (who: string) => `${who} asks`,
  /** Said to those who do not see the card. */
  said: (who: string, what: string, key: string | undefined) =>
    `${who} asks whether it may: ${what}.${key === undefined ? '' : ` Press ${key} to answer.`}`,
  wantsLine: 'It wants to run this in a shell:',
  wants: 'It wants to:',
  place: (number: number, count: number) => `${number} of ${count}`,
  placeLabel: (number: number, count: number) => `Question ${number} of ${count}. Show all.`,
  previous: 'Previous question',
  next: 'Next question',
  hide: 'Hide. The question stays open.',
  all: 'Questions',
  listed: (who: string, what: string) => `${who}: ${what}`,
  parts: 'What is in it',
  decisions: { allow: 'allowed', ask: 'needs a yes', deny: 'forbidden' } as Record<string, string>,
  byRule: (rule: string) => `by ${rule}`,
  doubts: 'What cannot be known',
  facts: {
    command: 'Command',
    where: 'Where',
    folder: 'Folder',
    theirs: 'Acts in',
    why: 'Why you are asked',
    arguments: 'Arguments',
    time: 'Time',
  },
  reason: (who: string) => `Its reason, in the words of ${who}:`,
  argument: (name: string, value: string) => `${name}: ${value}`,
  whyBy: (why: string, rule: string) => `${why} (${rule})`,
  sites: {
    space: 'in this space; it starts no program',
    confined: 'in the agents’ confined place',
    outside: 'outside of the agents’ place: with all your rights',
    unconfined: 'agents’ programs are not confined here: with all your rights',
  },
  waits: (ms: number) => `asked ${span(ms)} ago, and the call waits`,
  left: (ms: number, leftMs: number) =>
    `asked ${span(ms)} ago. The call waits no longer; for ${span(leftMs)} an answer still counts when the agent ` +
    'calls again',
  once: 'Allow once',
  session: 'Allow for this session',
  always: 'Always allow…',
  no: 'No',
  message: 'Tell the agent why not (may be empty)',
  forSession: 'For this session means',
  exactly: 'exactly this call, until the agent’s session or the server ends.',
  like: 'all that is like this, until the agent’s session or the server ends:',
  theirs: (thing: string) => `Any yes lets it act in ${thing} for the rest of its session.`,
  rule: 'This rule will be saved in your policy. Nobody is asked again about',
  saveRule: 'Save the rule and allow',
  back: 'Back',
  phone: {
    ask: 'Answer on a phone…',
    scan: 'Scan this, or open the link. It answers this question once, without a key to the space.',
    local:
      'Only this machine can open it: the server listens on loopback. Start it with --host ADDRESS to reach it from ' +
      'a phone.',
    link: 'Link to this question',
    code: 'QR code of the link to this question',
    failed: 'There is no link to this question',
  },
  sending: 'Your answer is being sent…',
  offline: 'The server cannot be reached. You can answer when it is back.',
  failed: (why: string) => `Your answer was not taken: ${why}`,
  unsure: (why: string) => `It is not known whether your answer arrived: ${why}`,
  given: {
    once: 'Allowed once.',
    session: 'Allowed for this session.',
    always: 'Allowed, and the rule is saved.',
    no: 'You said no.',
  },
  arrived: 'Your answer has arrived.',
  allowed: (channel: string, by: string) => `Allowed ${channelInWords(channel, by)}.`,
  refused: (channel: string, by: string) => `Refused ${channelInWords(channel, by)}.`,
  expired: 'Nobody answered in time.',
  takenBack: 'The agent took its call back.',
  gone: 'The question is gone.',
  unseen: {
    character: (code: string) => `⟨U+${code}⟩`,
    blanks: (count: number) => `⟨${count} blanks⟩`,
    emptyLines: (count: number) => `⟨${count} empty lines⟩`,
  },
} as const
