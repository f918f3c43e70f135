// The words with which a person decides about agents: who is here, what can be done about one, and what came of it.

/** What agents bring, by kind; another kind goes by its name. */
const THINGS: Record<string, (id: string) => string> = {
  terminal: (id) => `terminal ${id}`,
  run: (id) => `program ${id}`,
  highlight: (id) => `highlight ${id}`,
  pane: (id) => `pane ${id}`,
  // `editor:src/main.rs`: what it shows is what a person knows it by.
  tab: (id) => `tab ${id.slice(id.indexOf(':') + 1)}`,
}

/** Why a thing stays when its agent goes. */
const STAYS: Record<string, string> = {
  typed_into: 'somebody else typed into it',
  edited: 'a person edited the file',
  pinned: 'somebody else pinned it',
  unsaved: 'it has unsaved changes',
  in_use: 'it shows what others opened',
}

/** Names of things that are told at once. */
const MOST_NAMED = 6

const calls = (count: number) => (count === 1 ? '1 call' : `${count} calls`)
const programs = (count: number) => (count === 1 ? '1 program' : `${count} programs`)

/** Things as one list, of which a person reads the beginning. */
function named(things: readonly string[]): string {
  const rest = things.length - MOST_NAMED
  return rest > 0 ? `${things.slice(0, MOST_NAMED).join(', ')} and ${rest} more` : things.join(', ')
}

export const agents = {
  none: 'No agent is connected, and none left anything behind. The welcome page says how to connect one.',
  choose: 'Which agent?',
  title: (who: string) => `Agent ${who}`,
  notAsked: 'The agents could not be asked for',
  thing: (kind: string, id: string) => THINGS[kind]?.(id) ?? `${kind} ${id}`,
  /** A thing as commands name it, such as `terminal/t3`. */
  named: (name: string) => {
    const [kind = '', ...id] = name.split('/')
    return agents.thing(kind, id.join('/'))
  },
  stays: (why: string) => STAYS[why] ?? why,
  states: {
    connected: 'connected',
    gone: 'not connected',
    paused: 'paused',
    disconnected: 'disconnected',
    waits: 'waits for your consent',
    revoked: 'may only look',
  },
  running: (count: number) => `runs ${calls(count)}`,
  runs: (summaries: readonly string[]) => `Runs now: ${named(summaries)}`,
  runsNothing: 'It makes no call right now.',
  brought: (things: readonly string[]) => `brought ${named(things)}`,
  deeds: {
    pause: '$(debug-pause) Pause',
    goOn: '$(debug-continue) Let Go On',
    stop: '$(debug-stop) Stop All Its Programs',
    disconnect: '$(debug-disconnect) Disconnect…',
    admit: '$(plug) Let In Again',
    cleanUp: '$(clear-all) Clean Up What It Left…',
    agree: (client: string) => `$(check) Agree to ${client}…`,
    refuse: (client: string) => `$(circle-slash) Refuse ${client}`,
    takeBack: (client: string) => `$(circle-slash) Take Back Consent to ${client}`,
    activity: '$(history) Show Activity',
  },
  details: {
    pause: 'Its calls are refused until you let it go on. What runs goes on.',
    goOn: 'Its calls are let in again.',
    stop: (things: readonly string[]) =>
      `Ends its calls${things.length > 0 ? ` and what runs in ${named(things)}` : ''}. It stays connected.`,
    disconnect: (goes: readonly string[]) =>
      goes.length > 0
        ? `Ends what it runs and what it brought: ${named(goes)}`
        : 'Ends what it runs. It brought nothing.',
    admit: 'Its calls are let in again. What it had brought does not come back.',
    cleanUp: (goes: readonly string[]) => `Ends or closes ${named(goes)}`,
    agree: 'Its client may do more than look, in every session. You are shown what that means.',
    refuse: 'Its client may only look, in every session, until you agree.',
    takeBack: 'Its client may only look from now on, in every session. What runs goes on.',
  },
  sure: {
    disconnect: (who: string) => `Disconnect ${who}?`,
    disconnectDetail: (goes: readonly string[], kept: readonly string[]) => [
      'Its calls and programs are ended, and it is let in no more.',
      goes.length > 0 ? `What it brought goes: ${named(goes)}.` : 'It brought nothing that would go.',
      ...(kept.length > 0 ? [`What you took to stays: ${named(kept)}.`] : []),
    ].join('\n'),
    disconnectButton: 'Disconnect',
    cleanUp: (who: string) => `Clean up what ${who} left?`,
    cleanUpDetail: (goes: readonly string[]) => `These go: ${named(goes)}.`,
    cleanUpButton: 'Clean Up',
  },
  kept: (thing: string, why: string) => `${thing} (${why})`,
  done: {
    paused: (who: string) => `${who} is paused.`,
    goesOn: (who: string) => `${who} may go on.`,
    stopped: (who: string, called: number, ended: number) =>
      `${who}: ${calls(called)} and ${programs(ended)} ended.`,
    leftAlone: (who: string, things: readonly string[]) =>
      `Some programs of ${who} still run, because somebody else typed into them: ${named(things)}. ` +
      'Close these terminals yourself.',
    disconnected: (who: string) => `${who} is disconnected and stays out until you let it in again.`,
    mayReturn: (who: string, client: string) =>
      `${who} is disconnected. A new session of ${client} is let in; to keep it out, take back your consent to it.`,
    keepOut: 'Take Back Consent',
    stay: (things: readonly string[]) => `Of what it brought these stay: ${named(things)}.`,
    admitted: (who: string) => `${who} is let in again.`,
    cleanedUp: (who: string, count: number) => `${count === 1 ? '1 thing' : `${count} things`} of ${who} ended.`,
  },
  failed: {
    pause: (who: string) => `${who} was not paused`,
    goOn: (who: string) => `${who} was not let go on`,
    stop: (who: string) => `Not all that ${who} runs was stopped`,
    disconnect: (who: string) => `${who} was not disconnected completely`,
    admit: (who: string) => `${who} was not let in again`,
    cleanUp: (who: string) => `Not all that ${who} left was cleaned up`,
    agree: (client: string) => `Your consent to ${client} was not taken`,
    refuse: (client: string) => `Your refusal of ${client} was not taken`,
    takeBack: (client: string) => `Your consent to ${client} was not taken back`,
  },
  consent: {
    /** With what it means, as the server says it. */
    asks: (client: string, words: readonly string[]) =>
      `${client} wants to do more than look, and waits for you. ${words.join(' ')}`,
    agreeButton: 'Agree…',
    refuseButton: 'Refuse',
    question: (client: string) => `May ${client} do more than look in this space?`,
    meaning: (words: readonly string[]) => words.join('\n\n'),
    sureButton: 'Agree',
    given: (client: string) => `${client} may do more than look now.`,
    refused: (client: string) => `${client} may only look. “Manage Agents…” changes that.`,
    notLoaded: (client: string) =>
      `${client} waits for your consent, and what that means could not be loaded. Try “Manage Agents…”`,
  },
}
