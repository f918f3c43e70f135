// Draws Markdown and keeps it in step with its text: what is typed, where it is scrolled, where its links lead.
//
// The workbench's own renderer makes the elements: it drops scripts, foreign elements and handlers, and HTML in the
// text is left out. Of what a text can name, pictures of the workspace are loaded and nothing else.
import {
  getService, IEditorService, IMarkdownRendererService, ITextModelService, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import { Uri, type editor as monacoEditor } from 'monaco-editor'
import { contentAddress } from '../../protocol/files'
import { strings } from '../../strings'
import { pathOf, uriOf } from '../core/uris'
import { Steps } from './markdown-scroll'

type Model = monacoEditor.ITextModel

/** What the renderer draws of a text; the rest it leaves away. */
const MOST_DRAWN = 100_000
/** Blocks that leave no element behind. */
const UNSEEN = new Set(['space', 'def', 'html'])

interface Block {
  type: string
  raw: string
}

export async function showMarkdown(
  container: HTMLElement, source: Uri, model: Model, group: IEditorGroup,
): Promise<{ dispose(): void }> {
  const [renderer, editors] = await Promise.all([getService(IMarkdownRendererService), getService(IEditorService)])
  const steps = new Steps(container, model)
  let shown: { element: HTMLElement; dispose(): void } | undefined
  const draw = () => {
    let blocks: readonly Block[] = []
    const note = <T extends readonly Block[]>(tokens: T): T => {
      blocks = tokens
      return tokens
    }
    const next = renderer.render(
      { value: model.getValue(), supportHtml: false, isTrusted: false },
      {
        markedOptions: { gfm: true, breaks: false },
        markedExtensions: [{ hooks: { processAllTokens: note as never } }],
        actionHandler: (link) => void follow(link),
        transformUri: (address, kind) => (kind === 'image' ? pictureAt(source, address) : linkTo(source, address)),
        sanitizerConfig: { remoteImageIsAllowed: isPictureOfOurs },
        asyncRenderCallback: () => steps.measure(),
      },
    )
    shown?.dispose()
    shown = next
    const elements = [...next.element.children] as HTMLElement[]
    nameHeadings(elements)
    container.replaceChildren(next.element)
    if (model.getValueLength() > MOST_DRAWN) container.append(noteOfRest())
    steps.follow(elements, linesOf(blocks))
  }
  const follow = async (link: string) => {
    const [address = '', anchor = ''] = link.split('#')
    if (address === '') return scrollTo(container, anchor)
    const target = Uri.parse(address)
    if (pathOf(target) !== undefined) {
      const line = await lineOf(target, anchor)
      const selection = line === undefined ? undefined : { startLineNumber: line, startColumn: 1 }
      await editors.openEditor({ resource: target, options: { pinned: true, selection } }, group)
    } else if (/^https?:/i.test(link)) window.open(link, '_blank', 'noopener,noreferrer')
  }
  draw()
  let frame = 0
  const changed = model.onDidChangeContent(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(draw)
  })
  return {
    dispose: () => {
      cancelAnimationFrame(frame)
      changed.dispose()
      steps.dispose()
      shown?.dispose()
      container.replaceChildren()
    },
  }
}

/** The line of the text at which each block that shows begins. */
function linesOf(blocks: readonly Block[]): number[] {
  let line = 1
  const lines: number[] = []
  for (const { type, raw } of blocks) {
    if (!UNSEEN.has(type)) lines.push(line)
    line += raw.split('\n').length - 1
  }
  return lines
}

/** A heading's name in links: its words in small letters, with hyphens between them. */
function anchorOf(heading: string): string {
  return heading.trim().toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
}

/** The second of the same words has `-1` at its end. */
function nameHeadings(elements: HTMLElement[]): void {
  const seen = new Map<string, number>()
  for (const heading of elements.filter(({ tagName }) => /^H[1-6]$/.test(tagName))) {
    const anchor = anchorOf(heading.textContent ?? '')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    heading.dataset.anchor = times === 0 ? anchor : `${anchor}-${times}`
  }
}

function scrollTo(container: HTMLElement, anchor: string): void {
  const wanted = decoded(anchor).toLowerCase()
  const headings = [...container.querySelectorAll<HTMLElement>('[data-anchor]')]
  if (wanted === '') container.scrollTop = 0
  else headings.find(({ dataset }) => dataset.anchor === wanted)?.scrollIntoView()
}

/** Where an anchor is in a file: `L12`, or a heading of Markdown that is open. */
async function lineOf(target: Uri, anchor: string): Promise<number | undefined> {
  const [, number] = /^L(\d+)/.exec(anchor) ?? []
  if (number !== undefined) return Number(number)
  if (anchor === '' || !/\.(md|markdown)$/i.test(target.path)) return undefined
  const held = await (await getService(ITextModelService)).createModelReference(target)
  try {
    const lines = held.object.textEditorModel.getLinesContent()
    const wanted = decoded(anchor).toLowerCase()
    const found = lines.findIndex((line) => /^#{1,6}\s/.test(line) && anchorOf(line.replace(/^#+/, '')) === wanted)
    return found < 0 ? undefined : found + 1
  } finally {
    held.dispose()
  }
}

/** A relative address, seen from the file that it stands in. */
function besides(source: Uri, address: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) return undefined
  // The address is made plain first: `..` must not lead out of the workspace and back in.
  const from = address.startsWith('/') ? `${uriOf('').path}/` : source.path
  const { pathname } = new URL(address.replace(/^\/+/, ''), `file://${from}`)
  return pathOf({ scheme: 'file', path: decoded(pathname) })
}

/** The renderer leaves only addresses that are whole; one that leads out of the workspace is no link. */
function linkTo(source: Uri, address: string): string {
  const [file = '', anchor] = address.split('#')
  const path = file === '' ? undefined : besides(source, file)
  return path === undefined ? address : uriOf(path).toString() + (anchor ? `#${anchor}` : '')
}

/** What is no valid escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Pictures are asked for as soon as they have an address, shown or not: one of elsewhere gets none. */
function pictureAt(source: Uri, address: string): string {
  if (/^data:image\//i.test(address)) return address
  const path = besides(source, address)
  return path === undefined ? '' : new URL(contentAddress(path), location.href).toString()
}

/** Only addresses that `pictureAt` makes: a text must not have the page ask for anything else, here or elsewhere. */
function isPictureOfOurs({ authority, path }: { authority: string; path: string }): boolean {
  return authority === location.host && path === new URL(contentAddress(''), location.href).pathname
}

function noteOfRest(): HTMLElement {
  const note = document.createElement('p')
  note.className = 'openspace-markdown-note'
  note.textContent = strings.markdown.cut(MOST_DRAWN)
  return note
}
