// The words with which a person tries what the policy says about a line.

export const policy = {
  title: 'Try a Command Against the Policy',
  prompt: 'The line as an agent would run it in a shell. Nothing is run.',
  example: 'git push --force origin main',
  empty: 'Type a line first.',
  results: (line: string) => `What becomes of: ${line}`,
  again: (profile: string | null) =>
    `${profile === null ? 'Nobody is asked about anything' : `Profile ${profile}`}. ` +
    'Choose any entry to change the line.',
  decisions: {
    allow: '$(check) Runs without a question',
    ask: '$(question) You are asked',
    deny: '$(circle-slash) Refused',
  } as Record<string, string>,
  /** Short, because they take the width of what they stand beside. */
  titles: { confined: 'confined', outside: 'outside', unconfined: 'not confined' } as Record<string, string>,
  places: {
    confined: 'in the agents’ confined place',
    outside: 'outside of the agents’ place, with all your rights',
    unconfined: 'agents’ programs are not confined here: with all your rights',
  } as Record<string, string>,
  byRule: (rule: string, why: string) => `By ${rule}: ${why}`,
  parts: { allow: 'allowed', ask: 'needs a yes', deny: 'forbidden' } as Record<string, string>,
  part: (decision: string, rule: string) => `${decision}, by ${rule}`,
  doubt: (sentence: string) => `$(warning) ${sentence}`,
  doubtful: 'This cannot be known beforehand.',
  always: (about: string) => `$(save) “Always” would save a rule about ${about}`,
  failed: 'The policy could not be asked',
}
