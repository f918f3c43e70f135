// Settings, texts of files as they are, unsaved or not, and documents that are no files.
import {
  IBulkEditService, IConfigurationService, ILanguageService, IModelService, ITextFileService, ITextModelService,
  getService,
} from '@codingame/monaco-vscode-api'
import type { IDisposable, IEvent, IRange, Uri } from 'monaco-editor'

export interface WorkspaceApi {
  getConfiguration(section?: string): { get<T>(name: string, otherwise: T): T }
  onDidChangeConfiguration(listener: (change: { affectsConfiguration(name: string): boolean }) => void): IDisposable
  /** As the person's own, for all folders. */
  set(name: string, value: unknown): Promise<void>
  registerTextDocumentContentProvider(scheme: string, provider: ContentProvider): IDisposable
  /** All texts that are loaded. */
  readonly textDocuments: { uri: Uri }[]
  /** A file's text as it is here, with what is typed and not saved. */
  readText(uri: Uri): Promise<string>
  /** One step that can be undone, whether the file is open or not; false when it was not done. */
  edit(uri: Uri, range: IRange, text: string): Promise<boolean>
  /** An empty file where there is none. */
  createFile(uri: Uri): Promise<void>
  isUnsaved(uri: Uri): boolean
  /** False when it was not saved; why is told where the workbench does so. */
  save(uri: Uri): Promise<boolean>
  /** Give up what is not saved. */
  revert(uri: Uri): Promise<void>
  onDidSave(listener: (uri: Uri) => void): IDisposable
}

export interface ContentProvider {
  onDidChange?: IEvent<Uri>
  provideTextDocumentContent(uri: Uri): string | undefined | Promise<string | undefined>
}

export async function startWorkspace(): Promise<WorkspaceApi> {
  const settings = await getService(IConfigurationService)
  const models = await getService(IModelService)
  const languages = await getService(ILanguageService)
  const texts = await getService(ITextModelService)
  const edits = await getService(IBulkEditService)
  const files = await getService(ITextFileService)
  return {
    getConfiguration: (section) => ({
      get: <T>(name: string, otherwise: T) =>
        settings.getValue<T | undefined>(section ? `${section}.${name}` : name) ?? otherwise,
    }),
    onDidChangeConfiguration: (listener) => settings.onDidChangeConfiguration(listener),
    set: (name, value) => settings.updateValue(name, value),
    registerTextDocumentContentProvider: (scheme, provider) => {
      const changes = provider.onDidChange?.((uri) => void (async () => {
        const text = await provider.provideTextDocumentContent(uri)
        const model = models.getModel(uri)
        if (model && text !== undefined) models.updateModel(model, text)
      })())
      const registration = texts.registerTextModelContentProvider(scheme, {
        provideTextContent: async (uri) => {
          const text = await provider.provideTextDocumentContent(uri)
          if (text === undefined) return null
          return models.getModel(uri) ?? models.createModel(text, languages.createByFilepathOrFirstLine(uri), uri)
        },
      })
      return {
        dispose: () => {
          changes?.dispose()
          registration.dispose()
        },
      }
    },
    get textDocuments() {
      return models.getModels().map(({ uri }) => ({ uri }))
    },
    readText: async (uri) => {
      const reference = await texts.createModelReference(uri)
      try {
        return reference.object.textEditorModel.getValue()
      } finally {
        reference.dispose()
      }
    },
    edit: async (resource, range, text) => {
      const edit = { resource, textEdit: { range, text }, versionId: undefined }
      return (await edits.apply({ edits: [edit] })).isApplied
    },
    createFile: async (newResource) => {
      await edits.apply({ edits: [{ newResource, options: { ignoreIfExists: true } }] })
    },
    isUnsaved: (uri) => files.isDirty(uri),
    save: async (uri) => (await files.save(uri)) !== undefined,
    revert: (uri) => files.revert(uri),
    onDidSave: (listener) => files.files.onDidSave(({ model }) => listener(model.resource)),
  }
}
