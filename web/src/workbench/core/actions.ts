// Actions that one feature does and another one names.

export const ACTIONS = {
  follow: 'openspace.view.follow',
  welcome: 'openspace.view.welcome',
  activity: 'openspace.view.activity',
  answer: 'openspace.view.answer',
  agents: 'openspace.view.agents',
  chat: 'openspace.view.chat',
  setUpAgents: 'openspace.view.setUpAgents',
  /** Puts an attachment, its argument, into the draft of the chat. */
  attach: 'openspace.chat.attach',
  sendTerminal: 'openspace.chat.sendTerminal',
} as const
