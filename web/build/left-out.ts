// Leaves out of the page what VS Code's packages bring along and no path of the page runs: half of an extension
// host, notebooks, chat, comments, debugging. A page has to read all of its code before it shows a text.
//
// A module that is left out keeps its names, so that whoever imports it still loads. Using one of them is an error
// that says which: nothing here pretends. What only the workbench's registries would call is in LEFT_OUT; nobody
// may add what a menu, a key or a setting of the page can reach (`e2e/menus.spec.ts` and the rest of the tests).
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** Paths in VS Code's sources. */
const LEFT_OUT: readonly RegExp[] = [
  // The extension API, hosts for extensions, their list and their views: none runs here.
  /^vs\/workbench\/api\/browser\/mainThread/,
  /^vs\/workbench\/api\/common\/extHost/,
  /^vs\/workbench\/services\/extensions\/common\/(remoteExtensionHost|rpcProtocol|extensionHostManager)\.js$/,
  /^vs\/workbench\/services\/extensions\/browser\/webWorkerExtensionHost\.js$/,
  /^vs\/workbench\/contrib\/extensions\/browser\//,
  /^vs\/workbench\/contrib\/(customEditor|webview|webviewPanel|webviewView)\//,
  /^vs\/workbench\/browser\/parts\/views\/treeView\.js$/,
  // Notebooks: searched, compared and edited by parts that first ask whether a file is one.
  /^vs\/workbench\/contrib\/notebook\/browser\/(?!contrib\/find\/(findFilters|notebookFindReplaceWidget)\.js$)/,
  /^vs\/workbench\/contrib\/bulkEdit\/browser\/bulkCellEdits\.js$/,
  // The workbench's chat, what it is given to look at, and text that a model proposes while one types.
  /^vs\/workbench\/contrib\/chat\/(browser|common)\/promptSyntax\/(?!promptTypes\.js)/,
  /^vs\/workbench\/contrib\/chat\/browser\/actions\/(chatContext|chatActions)\.js$/,
  /^vs\/workbench\/(services|contrib)\/mcp\//,
  /^vs\/workbench\/contrib\/browserView\//,
  /^vs\/editor\/contrib\/inlineCompletions\/browser\/(?!controller\/(common|inlineCompletionContextKeys)\.js$)/,
  /^vs\/workbench\/contrib\/inlineCompletions\//,
  /^vs\/workbench\/contrib\/codeEditor\/browser\/dictation\//,
  // What of terminals asks a model, a microphone, an extension or Windows.
  /^vs\/workbench\/contrib\/terminalContrib\/(chat|chatAgentTools|developer|inlineHint|telemetry|typeAhead|voice)\//,
  /^vs\/workbench\/contrib\/terminalContrib\/(wslRecommendation|suggest\/(browser|common\/terminalSuggestCon))/,
  // Comments of reviewers, other machines and their ports, trust (`trusted` is said when the workbench is opened).
  /^vs\/workbench\/contrib\/comments\/browser\/(?!commentsAccessibility\.js$)/,
  /^vs\/workbench\/contrib\/remote\/browser\//,
  /^vs\/workbench\/services\/remote\/common\/(remoteExplorerService|tunnelModel)\.js$/,
  /^vs\/platform\/remote\/common\/remoteAgentConnection\.js$/,
  /^vs\/workbench\/contrib\/workspace\/browser\//,
  // Ways to draw and to read text that are off: on a graphics card, with tree-sitter.
  /^vs\/editor\/browser\/(gpu|viewParts\/(viewLinesGpu|rulersGpu))\//,
  /^vs\/editor\/common\/model\/tokens\/treeSitter\//,
  // Earlier states of files, which the workbench would keep in the browser: it is off.
  /^vs\/workbench\/contrib\/localHistory\//,
  /^vs\/workbench\/services\/workingCopy\/(browser|common)\/workingCopyHistory/,
  // Tools for those who build the workbench itself.
  /^vs\/workbench\/contrib\/codeEditor\/browser\/inspectEditorTokens\//,
  /^vs\/workbench\/browser\/actions\/developerActions\.js$/,
]

/** What the workbench makes one of at its start, and what then does nothing here. */
const IDLE: readonly RegExp[] = [
  /^vs\/workbench\/contrib\/.*ChatContext\.js$/,
  /^vs\/workbench\/contrib\/terminal\/browser\/(agentHostTerminalService|remoteTerminalBackend)\.js$/,
]

/** What is loaded after the first text: all that this file names, with the word `?late`. */
const LATE = new URL('../src/workbench/core/upstream-late.ts', import.meta.url)

/** Names that a service is asked for by must stay what they are. */
const KEPT = /\.service\.js$/

export function leaveOut(): Plugin {
  const named = readFileSync(LATE, 'utf8').matchAll(/(vs\/[^']+)\?late'/g)
  const late = new Set(Array.from(named, ([, path]) => `${path}.js`))
  const isIdle = (path: string): boolean => IDLE.some((pattern) => pattern.test(path))
  const isOut = (path: string): boolean =>
    late.has(path) || isIdle(path) || LEFT_OUT.some((pattern) => pattern.test(path))
  return {
    name: 'openspace-left-out',
    enforce: 'pre',
    transform: {
      filter: { id: /\/vscode\/src\/vs\/.*\.js$/ },
      handler(code, id) {
        const path = id.slice(id.lastIndexOf('/vscode/src/') + '/vscode/src/'.length)
        if (KEPT.test(path) || !isOut(path)) return undefined
        const names = exportsOf(this.parse(code))
        return { code: standIn(names, isIdle(path) ? 'class {}' : refusing(path)), map: null }
      },
    },
  }
}

/** A class of which none can be made; whoever asks a text for its part of a feature is told that it has none. */
const refusing = (path: string): string => `class {
  static get() { return null }
  constructor() {
    const error = new Error(\`${path} is left out of this page\`)
    // The workbench keeps some errors to itself.
    console.error(error)
    throw error
  }
}`

function standIn(names: readonly string[], made: string): string {
  const classes = names.map((name) => `const ${name}_ = ${made}`)
  return [...classes, `export { ${names.map((name) => `${name}_ as ${name}`).join(', ')} }`].join('\n')
}

/** What the workbench's modules export: all of them end with a list of names. */
function exportsOf({ body }: { body: readonly { type: string }[] }): string[] {
  return body.flatMap((node) => {
    if (!node.type.startsWith('Export')) return []
    const { specifiers, declaration } = node as unknown as { specifiers?: Specifier[]; declaration?: unknown }
    if (node.type !== 'ExportNamedDeclaration' || declaration) {
      throw new Error(`cannot leave out a module with ${node.type}: teach web/build/left-out.ts to read it`)
    }
    return (specifiers ?? []).map(({ exported }) => exported.name)
  })
}

interface Specifier {
  exported: { name: string }
}
