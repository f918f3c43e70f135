// What changes texts: renaming, quick fixes and refactorings, formatting. The workbench makes all edits itself, so
// that it can show them before, undo them in one step, and the server hears of them as of what is typed.
import type { CancellationToken } from 'monaco-editor'
import type { ILanguageFeaturesService } from '@codingame/monaco-vscode-api'
import type * as lsp from 'vscode-languageserver-types'
import { Failure } from '../../protocol/failure'
import { strings } from '../../strings'
import { ExtensionIdentifier, MarkerSeverity, type IMarkerData, type ITextModel, type lang } from '../core/upstream'
import { has, union, type Ability } from './abilities'
import { toUri } from './addresses'
import { quietly, type Answer, type Asking, type Origin } from './asking'
import { commandOf } from './commands'
import { textEditsOf, workspaceEditOf, type VersionOf } from './convert/edits'
import { lspPosition, lspRange, rangeOf } from './convert/places'
import { selector } from './reading'
import type { Register } from './registrations'

type Edits = lsp.TextEdit[] | null
type Prepared = lsp.Range | { range: lsp.Range; placeholder: string } | { defaultBehavior: boolean } | null

const words = strings.languages
/** By the numbers of the protocol. */
const SEVERITIES = [MarkerSeverity.Error, MarkerSeverity.Warning, MarkerSeverity.Info, MarkerSeverity.Hint]

export function changing(
  features: ILanguageFeaturesService, asking: Asking, versionOf: VersionOf,
): Record<string, Register> {
  // By its name the workbench knows that formatting all and formatting some lines are of one hand.
  const formatter = { displayName: words.formatter, extensionId: new ExtensionIdentifier('openspace.openspace') }
  return {
    'textDocument/rename': (ability) =>
      features.renameProvider.register(selector(ability), renaming(asking, versionOf, ability)),
    'textDocument/codeAction': (ability) =>
      features.codeActionProvider.register(selector(ability), actions(asking, versionOf, ability)),
    'textDocument/formatting': (ability) => features.documentFormattingEditProvider.register(selector(ability), {
      ...formatter,
      provideDocumentFormattingEdits: (text, options, token) =>
        formatted(asking.one<Edits>(text, 'textDocument/formatting', { options: optionsOf(options) }, token)),
    }),
    'textDocument/rangeFormatting': (ability) =>
      features.documentRangeFormattingEditProvider.register(selector(ability), {
        ...formatter,
        provideDocumentRangeFormattingEdits: (text, range, options, token) => {
          const params = { range: lspRange(range), options: optionsOf(options) }
          return formatted(asking.one<Edits>(text, 'textDocument/rangeFormatting', params, token))
        },
      }),
    'textDocument/onTypeFormatting': (ability) => features.onTypeFormattingEditProvider.register(selector(ability), {
      autoFormatTriggerCharacters: [
        ...union(ability, 'firstTriggerCharacter'), ...union(ability, 'moreTriggerCharacter'),
      ],
      provideOnTypeFormattingEdits: async (text, position, ch, options, token) => {
        const params = { position: lspPosition(position), ch, options: optionsOf(options) }
        const answer = await quietly(asking.one<Edits>(text, 'textDocument/onTypeFormatting', params, token))
        return textEditsOf(answer?.value)
      },
    }),
  }
}

function optionsOf({ tabSize, insertSpaces }: lang.FormattingOptions): lsp.FormattingOptions {
  return { tabSize, insertSpaces }
}

/** A person asked for it: that it was not done has to be told. */
async function formatted(asked: Promise<Answer<Edits>>): Promise<lang.TextEdit[]> {
  try {
    return textEditsOf((await asked).value)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'cancelled') return []
    throw error instanceof Failure ? new Error(words.notFormatted(error.advice), { cause: error }) : error
  }
}

function renaming(asking: Asking, versionOf: VersionOf, ability: Ability): lang.RenameProvider {
  return {
    provideRenameEdits: async (text, position, newName, token) => {
      const params = { position: lspPosition(position), newName }
      try {
        const { value } = await asking.one<lsp.WorkspaceEdit | null>(text, 'textDocument/rename', params, token)
        return value ? workspaceEditOf(value, toUri, versionOf) : { edits: [], rejectReason: words.notRenamed }
      } catch (error) {
        return { edits: [], rejectReason: reasonOf(error) }
      }
    },
    ...(has(ability, 'prepareProvider') && {
      resolveRenameLocation: async (text: ITextModel, position: At, token: CancellationToken) => {
        const word = text.getWordAtPosition(position)
        const { lineNumber, column } = position
        const range = {
          startLineNumber: lineNumber, startColumn: word?.startColumn ?? column,
          endLineNumber: lineNumber, endColumn: word?.endColumn ?? column,
        }
        const byWord = { range, text: word?.word ?? '' }
        try {
          const params = { position: lspPosition(position) }
          const { value } = await asking.one<Prepared>(text, 'textDocument/prepareRename', params, token)
          if (!value) return { ...byWord, rejectReason: words.notRenamed }
          if ('defaultBehavior' in value) return byWord
          const found = rangeOf('range' in value ? value.range : value)
          return { range: found, text: 'placeholder' in value ? value.placeholder : text.getValueInRange(found) }
        } catch (error) {
          return { ...byWord, rejectReason: reasonOf(error) }
        }
      },
    }),
  }
}

type At = { lineNumber: number; column: number }

function reasonOf(error: unknown): string {
  if (!(error instanceof Failure)) throw error
  return error.advice
}

function actions(asking: Asking, versionOf: VersionOf, ability: Ability): lang.CodeActionProvider {
  const told = new WeakMap<lang.CodeAction, { action: lsp.CodeAction; from: Origin }>()
  /** Or why it is not made. */
  const editOf = (edit: lsp.WorkspaceEdit): lang.WorkspaceEdit | string => {
    try {
      return workspaceEditOf(edit, toUri, versionOf)
    } catch (error) {
      return reasonOf(error)
    }
  }
  const made = (action: lsp.CodeAction | lsp.Command, from: Origin): lang.CodeAction => {
    if (typeof action.command === 'string') {
      const command = commandOf(asking, from, action as lsp.Command)
      return { title: action.title, ...(command ? { command } : { disabled: words.unknownCommand }) }
    }
    const { title, kind, edit, diagnostics, isPreferred, disabled, command } = action as lsp.CodeAction
    const then = command && commandOf(asking, from, command)
    const edited = edit && editOf(edit)
    if (typeof edited === 'string') return { title, disabled: edited, ...(kind !== undefined && { kind }) }
    const result: lang.CodeAction = {
      title,
      ...(kind !== undefined && { kind }),
      ...(edited && { edit: edited }),
      ...(diagnostics && { diagnostics: diagnostics.map(markerOf) }),
      ...(isPreferred !== undefined && { isPreferred }),
      ...(disabled && { disabled: disabled.reason }),
      ...(then && { command: then }),
    }
    told.set(result, { action: action as lsp.CodeAction, from })
    return result
  }
  const kinds = union(ability, 'codeActionKinds')
  return {
    displayName: words.formatter,
    // Who names none may have any.
    ...(kinds.length > 0 && { providedCodeActionKinds: kinds }),
    provideCodeActions: async (text, range, { only, trigger }, token) => {
      // What is wrong there the server side knows better: it has all that the server said of it.
      const context = { diagnostics: [], triggerKind: trigger, ...(only !== undefined && { only: [only] }) }
      const params = { range: lspRange(range), context }
      const answers = await quietly(
        asking.all<(lsp.CodeAction | lsp.Command)[] | null>(text, 'textDocument/codeAction', params, token),
      )
      if (!answers) return undefined
      const all = answers.flatMap((answer) => (answer.value ?? []).map((action) => made(action, answer)))
      return { actions: all, dispose: () => {} }
    },
    ...(has(ability, 'resolveProvider') && {
      resolveCodeAction: async (action, token) => {
        const known = told.get(action)
        if (!known || action.edit) return action
        try {
          const { value } = await asking.again<lsp.CodeAction>(known.from, 'codeAction/resolve', known.action, token)
          return made(value, known.from)
        } catch (error) {
          if (error instanceof Failure) throw new Error(error.advice, { cause: error })
          throw error
        }
      },
    }),
  }
}

function markerOf({ range, message, severity = 1 }: lsp.Diagnostic): IMarkerData {
  return {
    ...rangeOf(range),
    message: typeof message === 'string' ? message : message.value,
    severity: SEVERITIES[severity - 1] ?? MarkerSeverity.Error,
  }
}

