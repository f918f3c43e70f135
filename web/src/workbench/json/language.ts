// The language service for JSON, which needs no extension host, as providers of the editor.
//
// Schemas come from the workbench and from this folder. A schema at another host is never fetched: such a file is
// checked for its form alone.
import { editor as monacoEditor, languages, Range, type Position } from 'monaco-editor'
import {
  ClientCapabilities, CompletionItemKind, getLanguageService, InsertTextFormat, TextDocument, type CompletionItem,
  type Diagnostic, type Hover, type LanguageService, type Position as JsonPosition, type Range as JsonRange,
} from 'vscode-json-languageservice'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { DiagnosticCollection } from '../core/api/markers'
import {
  JsonExtensions, MarkerSeverity, Registry, type IJSONContributionRegistry, type IMarkerData,
} from '../core/upstream'
import { FILES_OF_SCHEMAS, OWN_SCHEMAS } from './schemas'

type Text = monacoEditor.ITextModel

const LANGUAGES = ['json', 'jsonc']
/** A text is checked once nobody has typed for so long. */
const QUIET_MS = 300
/** The longest text that is checked. */
const MOST_CHARACTERS = 2_000_000
/** By the numbers of the language service. */
const SEVERITIES = [MarkerSeverity.Error, MarkerSeverity.Warning, MarkerSeverity.Info, MarkerSeverity.Hint]

export class JsonLanguage {
  private readonly service: LanguageService
  private readonly problems: DiagnosticCollection
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(api: Api) {
    this.service = getLanguageService({ schemaRequestService: schemaAt, clientCapabilities: ClientCapabilities.LATEST })
    const schemas = Object.entries(FILES_OF_SCHEMAS).map(([uri, fileMatch]) => ({ uri, fileMatch }))
    this.service.configure({ validate: true, schemas })
    this.problems = api.languages.createDiagnosticCollection('json')
    languages.registerCompletionItemProvider(LANGUAGES, {
      triggerCharacters: ['"', ':', ' '],
      provideCompletionItems: (text, position) => this.complete(text, position),
    })
    languages.registerHoverProvider(LANGUAGES, { provideHover: (text, position) => this.hover(text, position) })
    // Who formats a range formats the whole as well; one more for that would be a second formatter to choose from.
    languages.registerDocumentRangeFormattingEditProvider(LANGUAGES, {
      displayName: strings.json.formatter,
      provideDocumentRangeFormattingEdits: (text, range, options) => this.format(text, range, options),
    })
    monacoEditor.getModels().forEach((text) => this.follow(text))
    monacoEditor.onDidCreateModel((text) => this.follow(text))
  }

  private follow(text: Text): void {
    if (!['file', 'vscode-userdata'].includes(text.uri.scheme)) return
    text.onDidChangeContent(() => this.checkSoon(text))
    text.onDidChangeLanguage(() => this.checkSoon(text))
    text.onWillDispose(() => this.forget(text))
    this.checkSoon(text)
  }

  private forget({ uri }: Text): void {
    clearTimeout(this.timers.get(uri.toString()))
    this.timers.delete(uri.toString())
    this.problems.delete(uri)
  }

  private checkSoon(text: Text): void {
    if (!LANGUAGES.includes(text.getLanguageId())) return this.forget(text)
    const key = text.uri.toString()
    clearTimeout(this.timers.get(key))
    this.timers.set(key, setTimeout(() => void this.check(text), QUIET_MS))
  }

  private async check(text: Text): Promise<void> {
    this.timers.delete(text.uri.toString())
    if (text.isDisposed()) return
    const version = text.getVersionId()
    const found = text.getValueLength() <= MOST_CHARACTERS ? await this.validate(text) : []
    const isStill = !text.isDisposed() && text.getVersionId() === version && LANGUAGES.includes(text.getLanguageId())
    if (isStill) this.problems.set(text.uri, found)
  }

  private async validate(text: Text): Promise<IMarkerData[]> {
    const document = documentOf(text)
    // In such files people write comments, and commas at the end.
    const loose = text.getLanguageId() === 'jsonc' ? 'ignore' as const : 'error' as const
    const settings = { comments: loose, trailingCommas: loose, schemaRequest: 'ignore' as const }
    const found = await this.service.doValidation(document, this.service.parseJSONDocument(document), settings)
    return found.map(markerOf)
  }

  private async complete(text: Text, position: Position): Promise<languages.CompletionList> {
    const document = documentOf(text)
    const list = await this.service.doComplete(document, placeOf(position), this.service.parseJSONDocument(document))
    const { startColumn, endColumn } = text.getWordUntilPosition(position)
    const word = new Range(position.lineNumber, startColumn, position.lineNumber, endColumn)
    const suggestions = (list?.items ?? []).map((item) => itemOf(item, word))
    return { suggestions, incomplete: list?.isIncomplete ?? false }
  }

  private format(text: Text, range: Range, options: languages.FormattingOptions): languages.TextEdit[] {
    if (text.getValueLength() > MOST_CHARACTERS) return []
    const document = documentOf(text)
    const part = { start: placeOf(range.getStartPosition()), end: placeOf(range.getEndPosition()) }
    const edits = this.service.format(document, part, { ...options, keepLines: false })
    return edits.map(({ range: place, newText }) => ({ range: rangeOf(place), text: newText }))
  }

  private async hover(text: Text, position: Position): Promise<languages.Hover | undefined> {
    const document = documentOf(text)
    const found = await this.service.doHover(document, placeOf(position), this.service.parseJSONDocument(document))
    if (!found) return undefined
    const contents = wordsOf(found).map((value) => ({ value }))
    return found.range ? { contents, range: rangeOf(found.range) } : { contents }
  }
}

function documentOf(text: Text): TextDocument {
  return TextDocument.create(text.uri.toString(), text.getLanguageId(), text.getVersionId(), text.getValue())
}

function placeOf({ lineNumber, column }: Position): JsonPosition {
  return { line: lineNumber - 1, character: column - 1 }
}

function rangeOf({ start, end }: JsonRange): Range {
  return new Range(start.line + 1, start.character + 1, end.line + 1, end.character + 1)
}

function markerOf({ range, message, severity = 1 }: Diagnostic): IMarkerData {
  const { startLineNumber, startColumn, endLineNumber, endColumn } = rangeOf(range)
  return {
    startLineNumber, startColumn, endLineNumber, endColumn,
    message: typeof message === 'string' ? message : message.value,
    severity: SEVERITIES[severity - 1] ?? MarkerSeverity.Error,
  }
}

function itemOf(item: CompletionItem, word: Range): languages.CompletionItem {
  const { label, textEdit, insertText, insertTextFormat, filterText, sortText, detail } = item
  const words = typeof item.documentation === 'string' ? item.documentation : item.documentation?.value
  return {
    label,
    kind: kindOf(item),
    insertText: textEdit?.newText ?? insertText ?? label,
    range: textEdit && 'range' in textEdit ? rangeOf(textEdit.range) : word,
    ...(insertTextFormat === InsertTextFormat.Snippet && {
      insertTextRules: languages.CompletionItemInsertTextRule.InsertAsSnippet,
    }),
    ...(filterText !== undefined && { filterText }),
    ...(sortText !== undefined && { sortText }),
    ...(detail !== undefined && { detail }),
    ...(words && { documentation: { value: words } }),
  }
}

/** Both sides have the same kinds, by other numbers. */
function kindOf({ kind }: CompletionItem): languages.CompletionItemKind {
  const [name] = Object.entries(CompletionItemKind).find(([, number]) => number === kind) ?? ['Text']
  return languages.CompletionItemKind[name as keyof typeof languages.CompletionItemKind]
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
