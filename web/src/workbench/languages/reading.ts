// What is asked while a text is read: what something is, where it is, who uses it, and how it is drawn.
import { Emitter, type CancellationToken } from 'monaco-editor'
import type * as lsp from 'vscode-languageserver-types'
import type { ILanguageFeaturesService } from '@codingame/monaco-vscode-api'
import { Failure } from '../../protocol/failure'
import type { ITextModel, lang } from '../core/upstream'
import { has, type Ability } from './abilities'
import { linkTo, toUri } from './addresses'
import { quietly, type Answer, type Asking, type Origin } from './asking'
import { commandOf } from './commands'
import { joined, tokensOf, type Legend } from './convert/colours'
import { textEditsOf } from './convert/edits'
import { locationsOf, lspPosition, lspRange, placeOf, rangeOf } from './convert/places'
import { documentationOf, hoverWords } from './convert/words'
import type { Register } from './registrations'

type At = { lineNumber: number; column: number }
type Places = Parameters<typeof locationsOf>[0]

/** For files of the workspace in a language. */
export const selector = ({ language }: Ability) => ({ language, scheme: 'file' })

/** Of which something was said that servers tell when it is out of date. */
export class Refreshing {
  readonly tokens = new Emitter<void>()
  readonly hints = new Emitter<void>()
  readonly lenses = new Emitter<lang.CodeLensProvider>()
  readonly folds = new Emitter<lang.FoldingRangeProvider>()
}

export function reading(
  features: ILanguageFeaturesService, asking: Asking, refreshing: Refreshing,
): Record<string, Register> {
  const places = (method: string) =>
    async (text: ITextModel, position: At, token: CancellationToken): Promise<lang.LocationLink[]> => {
      const params = { position: lspPosition(position) }
      return locationsOf((await quietly(asking.one<Places>(text, method, params, token)))?.value, toUri)
    }
  return {
    'textDocument/hover': (ability) => features.hoverProvider.register(selector(ability), {
      provideHover: async (text, position, token) => {
        const params = { position: lspPosition(position) }
        const answer = await quietly(asking.one<lsp.Hover | null>(text, 'textDocument/hover', params, token))
        if (!answer?.value) return undefined
        const { contents, range } = answer.value
        return { contents: hoverWords(contents), ...(range && { range: rangeOf(range) }) }
      },
    }),
    'textDocument/definition': (ability) =>
      features.definitionProvider.register(selector(ability), { provideDefinition: places('textDocument/definition') }),
    'textDocument/declaration': (ability) => features.declarationProvider.register(selector(ability), {
      provideDeclaration: places('textDocument/declaration'),
    }),
    'textDocument/typeDefinition': (ability) => features.typeDefinitionProvider.register(selector(ability), {
      provideTypeDefinition: places('textDocument/typeDefinition'),
    }),
    'textDocument/implementation': (ability) => features.implementationProvider.register(selector(ability), {
      provideImplementation: places('textDocument/implementation'),
    }),
    'textDocument/references': (ability) => features.referenceProvider.register(selector(ability), {
      provideReferences: async (text, position, context, token) => {
        const { includeDeclaration } = context
        const params = { position: lspPosition(position), context: { includeDeclaration } }
        const answer = await quietly(asking.one<Places>(text, 'textDocument/references', params, token))
        return locationsOf(answer?.value, toUri)
      },
    }),
    'textDocument/documentHighlight': (ability) => features.documentHighlightProvider.register(selector(ability), {
      provideDocumentHighlights: async (text, position, token) => {
        const params = { position: lspPosition(position) }
        const answer = await quietly(
          asking.one<lsp.DocumentHighlight[] | null>(text, 'textDocument/documentHighlight', params, token),
        )
        return (answer?.value ?? []).map(({ range, kind }) => ({ range: rangeOf(range), kind: (kind ?? 1) - 1 }))
      },
    }),
    'textDocument/documentLink': (ability) => features.linkProvider.register(selector(ability), links(asking, ability)),
    'textDocument/codeLens': (ability) =>
      features.codeLensProvider.register(selector(ability), lenses(asking, refreshing, ability)),
    'textDocument/inlayHint': (ability) =>
      features.inlayHintsProvider.register(selector(ability), hints(asking, refreshing, ability)),
    'textDocument/documentColor': (ability) => features.colorProvider.register(selector(ability), colours(asking)),
    'textDocument/semanticTokens': (ability) => registerTokens(features, asking, refreshing, ability),
  }
}

function links(asking: Asking, ability: Ability): lang.LinkProvider {
  const told = new WeakMap<lang.ILink, { link: lsp.DocumentLink; from: Origin }>()
  const linkOf = (link: lsp.DocumentLink, from: Origin): lang.ILink => {
    const { range, target, tooltip } = link
    const url = target ? linkTo(target) : undefined
    const made = { range: rangeOf(range), ...(url && { url }), ...(tooltip && { tooltip }) }
    told.set(made, { link, from })
    return made
  }
  return {
    provideLinks: async (text, token) => {
      const answers = await quietly(asking.all<lsp.DocumentLink[] | null>(text, 'textDocument/documentLink', {}, token))
      return { links: (answers ?? []).flatMap((answer) => (answer.value ?? []).map((link) => linkOf(link, answer))) }
    },
    ...(has(ability, 'resolveProvider') && {
      resolveLink: async (link, token) => {
        const known = told.get(link)
        if (!known || known.link.target) return link
        const answer = await quietly(
          asking.again<lsp.DocumentLink>(known.from, 'documentLink/resolve', known.link, token),
        )
        return answer && linkOf(answer.value, known.from)
      },
    }),
  }
}

function lenses(asking: Asking, refreshing: Refreshing, ability: Ability): lang.CodeLensProvider {
  const told = new WeakMap<lang.CodeLens, { lens: lsp.CodeLens; from: Origin }>()
  const lensOf = (lens: lsp.CodeLens, from: Origin): lang.CodeLens => {
    // What nobody here can run is still read.
    const command = lens.command && (commandOf(asking, from, lens.command) ?? { id: '', title: lens.command.title })
    const made = { range: rangeOf(lens.range), ...(command && { command }) }
    told.set(made, { lens, from })
    return made
  }
  return {
    onDidChange: refreshing.lenses.event,
    provideCodeLenses: async (text, token) => {
      const answer = await quietly(asking.one<lsp.CodeLens[] | null>(text, 'textDocument/codeLens', {}, token))
      return { lenses: answer ? (answer.value ?? []).map((lens) => lensOf(lens, answer)) : [] }
    },
    ...(has(ability, 'resolveProvider') && {
      resolveCodeLens: async (_text, lens, token) => {
        const known = told.get(lens)
        if (!known || lens.command) return lens
        const answer = await quietly(asking.again<lsp.CodeLens>(known.from, 'codeLens/resolve', known.lens, token))
        return answer && lensOf(answer.value, known.from)
      },
    }),
  }
}

function hints(asking: Asking, refreshing: Refreshing, ability: Ability): lang.InlayHintsProvider {
  const told = new WeakMap<lang.InlayHint, { hint: lsp.InlayHint; from: Origin }>()
  const hintOf = (hint: lsp.InlayHint, from: Origin): lang.InlayHint => {
    const tooltip = documentationOf(hint.tooltip)
    const made: lang.InlayHint = {
      label: typeof hint.label === 'string' ? hint.label : hint.label.map((part) => partOf(asking, part, from)),
      position: placeOf(hint.position),
      ...(tooltip !== undefined && { tooltip }),
      ...(hint.kind && { kind: hint.kind as number }),
      ...(hint.textEdits && { textEdits: textEditsOf(hint.textEdits) }),
      ...(hint.paddingLeft !== undefined && { paddingLeft: hint.paddingLeft }),
      ...(hint.paddingRight !== undefined && { paddingRight: hint.paddingRight }),
    }
    told.set(made, { hint, from })
    return made
  }
  return {
    onDidChangeInlayHints: refreshing.hints.event,
    provideInlayHints: async (text, range, token) => {
      const params = { range: lspRange(range) }
      const answer = await quietly(asking.one<lsp.InlayHint[] | null>(text, 'textDocument/inlayHint', params, token))
      if (!answer) return undefined
      return { hints: (answer.value ?? []).map((hint) => hintOf(hint, answer)), dispose: () => {} }
    },
    ...(has(ability, 'resolveProvider') && {
      resolveInlayHint: async (hint, token) => {
        const known = told.get(hint)
        if (!known) return hint
        const answer = await quietly(asking.again<lsp.InlayHint>(known.from, 'inlayHint/resolve', known.hint, token))
        return answer ? hintOf(answer.value, known.from) : hint
      },
    }),
  }
}

function partOf(asking: Asking, part: lsp.InlayHintLabelPart, from: Origin): lang.InlayHintLabelPart {
  const tooltip = documentationOf(part.tooltip)
  const command = part.command && commandOf(asking, from, part.command)
  const [location] = part.location ? locationsOf(part.location, toUri) : []
  return {
    label: part.value,
    ...(tooltip !== undefined && { tooltip }),
    ...(command && { command }),
    ...(location && { location }),
  }
}

function colours(asking: Asking): lang.DocumentColorProvider {
  return {
    provideDocumentColors: async (text, token) => {
      const answer = await quietly(
        asking.one<lsp.ColorInformation[] | null>(text, 'textDocument/documentColor', {}, token),
      )
      return (answer?.value ?? []).map(({ range, color }) => ({ range: rangeOf(range), color }))
    },
    provideColorPresentations: async (text, { range, color }, token) => {
      const params = { color, range: lspRange(range) }
      const answer = await quietly(
        asking.one<lsp.ColorPresentation[] | null>(text, 'textDocument/colorPresentation', params, token),
      )
      return (answer?.value ?? []).map(({ label, textEdit, additionalTextEdits }) => {
        const [edit] = textEditsOf(textEdit ? [textEdit] : [])
        return {
          label,
          ...(edit && { textEdit: edit }),
          ...(additionalTextEdits && { additionalTextEdits: textEditsOf(additionalTextEdits) }),
        }
      })
    },
  }
}

function registerTokens(
  features: ILanguageFeaturesService, asking: Asking, refreshing: Refreshing, ability: Ability,
): ReturnType<Register> {
  const legends = new Map(ability.options.map(({ server, options }) => [server, options.legend as Legend]))
  const legend = joined([...legends.values()].filter(Boolean))
  const tokens = (answer: Answer<{ data: number[] } | null> | undefined) => {
    const from = answer && legends.get(answer.server)
    return answer?.value && from ? { data: tokensOf(answer.value.data, from, legend) } : null
  }
  const shared = { getLegend: () => legend, onDidChange: refreshing.tokens.event }
  const made = [
    ...(has(ability, 'full')
      ? [features.documentSemanticTokensProvider.register(selector(ability), {
          ...shared,
          provideDocumentSemanticTokens: async (text, _last, token) =>
            tokens(await quietly(orLater(text, asking.one(text, 'textDocument/semanticTokens/full', {}, token)))),
          releaseDocumentSemanticTokens: () => {},
        })]
      : []),
    ...(has(ability, 'range')
      ? [features.documentRangeSemanticTokensProvider.register(selector(ability), {
          ...shared,
          provideDocumentRangeSemanticTokens: async (text, range, token) => {
            const params = { range: lspRange(range) }
            const before = text.getVersionId()
            const method = 'textDocument/semanticTokens/range'
            const answer = await quietly(asking.one<{ data: number[] } | null>(text, method, params, token))
            return answer?.version === before ? tokens(answer) : null
          },
        })]
      : []),
  ]
  return { dispose: () => made.forEach((one) => one.dispose()) }
}


/**
 * The workbench moves colours by what was typed since it asked, so they must be about the text as it was then. It keeps
 * those that it has, and asks again, when it reads this very word.
 */
async function orLater<T>(text: ITextModel, asked: Promise<Answer<T>>): Promise<Answer<T>> {
  const before = text.getVersionId()
  try {
    const answer = await asked
    if (answer.version === before) return answer
  } catch (error) {
    const isLater = error instanceof Failure && ['stale', 'changed', 'busy'].includes(error.kind)
    if (!isLater) throw error
  }
  throw new Error('busy')
}
