// The language service for JSON, which needs no extension host, as providers of the page's own extension.
//
// Schemas come from the workbench and from this folder. A schema at another host is never fetched: such a file is
// checked for its form alone.
import type * as vscode from 'vscode'
import {
  ClientCapabilities, getLanguageService, InsertTextFormat, TextDocument, type CompletionItem, type Diagnostic,
  type Hover, type LanguageService, type Range,
} from 'vscode-json-languageservice'
import { strings } from '../../strings'
import { JsonExtensions, Registry, type IJSONContributionRegistry } from '../core/upstream'
import { FILES_OF_SCHEMAS, OWN_SCHEMAS } from './schemas'

const LANGUAGES = ['json', 'jsonc']
/** A text is checked once nobody has typed for so long. */
const QUIET_MS = 300
/** The longest text that is checked. */
const MOST_CHARACTERS = 2_000_000

export class JsonLanguage {
  private readonly service: LanguageService
  private readonly problems: vscode.DiagnosticCollection
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(private readonly api: typeof vscode) {
    this.service = getLanguageService({ schemaRequestService: schemaAt, clientCapabilities: ClientCapabilities.LATEST })
    const schemas = Object.entries(FILES_OF_SCHEMAS).map(([uri, fileMatch]) => ({ uri, fileMatch }))
    this.service.configure({ validate: true, schemas })
    const { languages, workspace } = api
    this.problems = languages.createDiagnosticCollection('json')
    languages.registerCompletionItemProvider(
      LANGUAGES, { provideCompletionItems: (text, position) => this.complete(text, position) }, '"', ':', ' ',
    )
    languages.registerHoverProvider(LANGUAGES, { provideHover: (text, position) => this.hover(text, position) })
    workspace.textDocuments.forEach((text) => this.checkSoon(text))
    workspace.onDidOpenTextDocument((text) => this.checkSoon(text))
    workspace.onDidChangeTextDocument(({ document }) => this.checkSoon(document))
    workspace.onDidCloseTextDocument(({ uri }) => {
      clearTimeout(this.timers.get(uri.toString()))
      this.timers.delete(uri.toString())
      this.problems.delete(uri)
    })
  }

  private checkSoon(text: vscode.TextDocument): void {
    if (!LANGUAGES.includes(text.languageId) || !['file', 'vscode-userdata'].includes(text.uri.scheme)) return
    const key = text.uri.toString()
    clearTimeout(this.timers.get(key))
    this.timers.set(key, setTimeout(() => void this.check(text), QUIET_MS))
  }

  private async check(text: vscode.TextDocument): Promise<void> {
    this.timers.delete(text.uri.toString())
    if (text.isClosed) return
    const content = text.getText()
    const { version } = text
    const isChecked = content.length <= MOST_CHARACTERS
    const found = isChecked ? await this.validate(text, content) : []
    if (!text.isClosed && text.version === version) this.problems.set(text.uri, found)
  }

  private async validate(text: vscode.TextDocument, content: string): Promise<vscode.Diagnostic[]> {
    const document = documentOf(text, content)
    // In such files people write comments, and commas at the end.
    const loose = text.languageId === 'jsonc' ? 'ignore' as const : 'error' as const
    const settings = { comments: loose, trailingCommas: loose, schemaRequest: 'ignore' as const }
    const found = await this.service.doValidation(document, this.service.parseJSONDocument(document), settings)
    return found.map((problem) => this.problemOf(problem))
  }

  private problemOf({ range, message, severity = 1 }: Diagnostic): vscode.Diagnostic {
    const words = typeof message === 'string' ? message : message.value
    return new this.api.Diagnostic(this.rangeOf(range), words, severity - 1)
  }

  private async complete(text: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionList> {
    const document = documentOf(text, text.getText())
    const list = await this.service.doComplete(document, position, this.service.parseJSONDocument(document))
    return new this.api.CompletionList((list?.items ?? []).map((item) => this.itemOf(item)), list?.isIncomplete)
  }

  private itemOf(item: CompletionItem): vscode.CompletionItem {
    const made = new this.api.CompletionItem(item.label, item.kind === undefined ? undefined : item.kind - 1)
    const inserted = item.textEdit?.newText ?? item.insertText ?? item.label
    const isSnippet = item.insertTextFormat === InsertTextFormat.Snippet
    made.insertText = isSnippet ? new this.api.SnippetString(inserted) : inserted
    if (item.textEdit && 'range' in item.textEdit) made.range = this.rangeOf(item.textEdit.range)
    made.filterText = item.filterText
    made.sortText = item.sortText
    made.detail = item.detail
    const words = typeof item.documentation === 'string' ? item.documentation : item.documentation?.value
    if (words) made.documentation = new this.api.MarkdownString(words)
    return made
  }

  private async hover(text: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const document = documentOf(text, text.getText())
    const found = await this.service.doHover(document, position, this.service.parseJSONDocument(document))
    if (!found) return undefined
    const range = found.range && this.rangeOf(found.range)
    return new this.api.Hover(wordsOf(found).map((words) => new this.api.MarkdownString(words)), range)
  }

  private rangeOf({ start, end }: Range): vscode.Range {
    return new this.api.Range(start.line, start.character, end.line, end.character)
  }
}

function documentOf(text: vscode.TextDocument, content: string): TextDocument {
  return TextDocument.create(text.uri.toString(), text.languageId, text.version, content)
}

function wordsOf({ contents }: Hover): string[] {
  const all = Array.isArray(contents) ? contents : [contents]
  return all.map((one) => (typeof one === 'string' ? one : one.value))
}

async function schemaAt(uri: string): Promise<string> {
  const own = OWN_SCHEMAS[uri]
  const { schemas } = Registry.as<IJSONContributionRegistry>(JsonExtensions.JSONContribution).getSchemaContributions()
  const schema = own ?? schemas[uri]
  if (!schema) throw new Error(strings.json.noSchema(uri))
  return JSON.stringify(schema)
}
