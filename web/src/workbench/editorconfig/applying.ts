// Applies `.editorconfig` to the texts that are shown and saved here. It changes how a text is edited and what a save
// of the person's writes, and never a text that nobody saves.
import {
  IConfigurationService, IFileService, ITextFileService, getService,
} from '@codingame/monaco-vscode-api'
import { editor as monacoEditor, Range } from 'monaco-editor'
import type { Space } from '../../protocol/space'
import { pathOf, uriOf } from '../core/uris'
import { parse, rulesFor, type RuleFile, type Rules } from './rules'

type Text = monacoEditor.ITextModel

export const SETTING = 'openspace.editorConfig'
const NAME = '.editorconfig'
/** A larger file is none. */
const MOST_BYTES = 256 * 1024
/** Folders whose files are remembered. */
const MOST_FOLDERS = 1_000
/** Before what the workbench does at a save: its formatter goes by the indentation that is set here. */
const FIRST = -100

export class EditorConfig {
  /** By folder; none where there is no such file. */
  private readonly files = new Map<string, Promise<RuleFile | undefined>>()
  private readonly rulers = new WeakSet<monacoEditor.ICodeEditor>()

  private constructor(
    private readonly settings: IConfigurationService,
    private readonly disk: IFileService,
  ) {}

  static async start(space: Space): Promise<void> {
    const [settings, disk, texts] = await Promise.all([
      getService(IConfigurationService), getService(IFileService), getService(ITextFileService),
    ])
    const config = new EditorConfig(settings, disk)
    const again = () => {
      config.files.clear()
      for (const text of monacoEditor.getModels()) void config.apply(text)
      for (const editor of monacoEditor.getEditors()) void config.rule(editor)
    }
    space.on('files_changed', (event) => {
      const isOne = ({ path }: { path: string }) => path === NAME || path.endsWith(`/${NAME}`)
      if (event.rescan || event.changes.some(isOne)) again()
    })
    space.onSnapshot.on(again)
    settings.onDidChangeConfiguration((change) => {
      const isOfText = ['editor', 'files', SETTING].some((name) => change.affectsConfiguration(name))
      if (isOfText) again()
    })
    monacoEditor.onDidCreateModel((text) => void config.apply(text))
    // The workbench sets the options of a text anew with its language.
    monacoEditor.onDidChangeModelLanguage(({ model }) => void config.apply(model))
    const follow = (editor: monacoEditor.ICodeEditor) => editor.onDidChangeModel(() => void config.rule(editor))
    monacoEditor.getEditors().forEach(follow)
    monacoEditor.onDidCreateEditor(follow)
    texts.files.addSaveParticipant({
      ordinal: FIRST,
      participate: async ({ resource }) => {
        const text = monacoEditor.getModel(resource)
        if (text) await config.beforeSave(text)
      },
    })
    again()
  }

  private async rules(text: Text | null): Promise<Rules> {
    const path = pathOf(text?.uri)
    if (!path || this.settings.getValue(SETTING) === false) return {}
    const folders: string[] = []
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.push(path.slice(0, at))
    const found = await Promise.all([...folders, ''].map(async (folder) => ({ folder, file: await this.file(folder) })))
    return rulesFor(path, found.flatMap(({ folder, file }) => (file ? [{ folder, file }] : [])))
  }

  private file(folder: string): Promise<RuleFile | undefined> {
    const known = this.files.get(folder) ?? this.read(folder)
    if (this.files.size >= MOST_FOLDERS) this.files.clear()
    this.files.set(folder, known)
    return known
  }

  private async read(folder: string): Promise<RuleFile | undefined> {
    const uri = uriOf(folder === '' ? NAME : `${folder}/${NAME}`)
    if (!(await this.disk.exists(uri))) return undefined
    const { value } = await this.disk.readFile(uri, { limits: { size: MOST_BYTES } })
    return parse(value.toString())
  }

  private async apply(text: Text): Promise<void> {
    const rules = await this.said(text)
    if (text.isDisposed()) return
    const { insertSpaces, indentSize, tabSize } = rules
    text.updateOptions({
      ...(insertSpaces !== undefined && { insertSpaces }),
      ...(tabSize !== undefined && { tabSize }),
      ...(indentSize !== undefined && { indentSize }),
    })
  }

  /** A file of rules that cannot be read says nothing, and the console says why. */
  private async said(text: Text | null): Promise<Rules> {
    try {
      return await this.rules(text)
    } catch (error) {
      console.warn('.editorconfig could not be read', error)
      return {}
    }
  }

  /** Where lines should end; the person's own rulers where nobody says it. */
  private async rule(editor: monacoEditor.ICodeEditor): Promise<void> {
    const text = editor.getModel()
    const { ruler } = await this.said(text)
    if (editor.getModel() !== text || (ruler === undefined && !this.rulers.has(editor))) return
    if (ruler !== undefined) this.rulers.add(editor)
    else this.rulers.delete(editor)
    const rulers = ruler === undefined ? this.settings.getValue<number[]>('editor.rulers') : [ruler]
    editor.updateOptions({ rulers })
  }

  private async beforeSave(text: Text): Promise<void> {
    const { endOfLine, trim, finalNewline } = await this.said(text)
    if (text.isDisposed()) return
    const edits: monacoEditor.IIdentifiedSingleEditOperation[] = []
    if (trim) {
      for (let line = 1; line <= text.getLineCount(); line++) {
        const end = text.getLineMaxColumn(line)
        const kept = text.getLineLastNonWhitespaceColumn(line) || 1
        if (kept < end) edits.push({ range: new Range(line, kept, line, end), text: '' })
      }
    }
    const last = text.getLineCount()
    if (finalNewline && text.getLineLastNonWhitespaceColumn(last) > 0) {
      const end = text.getLineMaxColumn(last)
      edits.push({ range: new Range(last, end, last, end), text: text.getEOL(), forceMoveMarkers: false })
    }
    if (edits.length > 0) {
      text.pushStackElement()
      text.pushEditOperations(null, edits, () => null)
      text.pushStackElement()
    }
    if (endOfLine !== undefined && text.getEOL() !== endOfLine) {
      const { CRLF, LF } = monacoEditor.EndOfLineSequence
      text.pushEOL(endOfLine === '\r\n' ? CRLF : LF)
    }
  }
}
