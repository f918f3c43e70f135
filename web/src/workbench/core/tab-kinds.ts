// Kinds of tabs and addresses that one feature makes and another one has to know.

/** The welcome page: it takes the focus as any tab does, but nothing is typed there. */
export const WELCOME_TYPE = 'openspace.welcome'
export const MARKDOWN_TYPE = 'openspace.markdown'
/** The chat with agents. */
export const CHAT_TYPE = 'openspace.chat'
/** Where a person sets agents up. */
export const SETUP_TYPE = 'openspace.agentSetup'
/** Files without what a chat session changed: the address of the session is the query. */
export const REVIEW_SCHEME = 'openspace-review'
/** Files as git has them. */
export const GIT_SCHEME = 'git'
/** A person's settings, keys and snippets. The workbench decides the name. */
export const USER_SCHEME = 'vscode-userdata'
/** Files outside the workspace that a language server has named: they are read only. */
export const SOURCE_SCHEME = 'openspace-source'
