// Marks the lines that an agent shows, whether the person goes there or not.
//
// A mark moves with its text and is gone with the tab, or when the agent shows another place in the file. It
// is drawn for what is shown now and not for what was shown before the page was there: the text may be another
// by then.
import { editor as monacoEditor, type IDisposable } from 'monaco-editor'
import { tabOf } from '../../protocol/layout'
import type { Space } from '../../protocol/space'
import type { Reveal, TextRange } from '../../protocol/state'
import { strings } from '../../strings'
import { pathOf } from '../core/uris'
import { rangeOf } from './highlights'

type Model = monacoEditor.ITextModel

interface Shown {
  range: TextRange
  by: string
}

export class ShownLines implements IDisposable {
  /** By path. */
  private readonly shown = new Map<string, Shown>()
  private readonly drawn = new Map<Model, string[]>()
  private readonly subscriptions: IDisposable[]

  constructor(space: Space) {
    this.subscriptions = [
      space.on('reveal', ({ target }) => this.tell(target)),
      space.onPart('layout', () => {
        for (const path of this.shown.keys()) if (!tabOf(space.part('layout'), path)) this.shown.delete(path)
      }),
      monacoEditor.onDidCreateModel((model) => this.draw(model)),
    ]
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose())
    this.drawn.forEach((ids, model) => model.deltaDecorations(ids, []))
  }

  private tell({ path, range, by }: Reveal): void {
    if (by.kind === 'person') return
    if (range) this.shown.set(path, { range, by: by.id })
    else this.shown.delete(path)
    monacoEditor.getModels().filter((model) => pathOf(model.uri) === path).forEach((model) => this.draw(model))
  }

  private draw(model: Model): void {
    const path = pathOf(model.uri)
    const shown = path === undefined ? undefined : this.shown.get(path)
    const before = this.drawn.get(model)
    if (!shown && !before) return
    if (!before) model.onWillDispose(() => this.drawn.delete(model))
    this.drawn.set(model, model.deltaDecorations(before ?? [], shown ? [decoration(shown)] : []))
  }
}

function decoration({ range, by }: Shown): monacoEditor.IModelDeltaDecoration {
  return {
    range: rangeOf(range),
    options: {
      stickiness: monacoEditor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
      isWholeLine: true,
      className: 'openspace-shown',
      linesDecorationsClassName: 'openspace-shown-edge',
      hoverMessage: [{ value: strings.reveal.shown(by) }],
      overviewRuler: { color: '#57c7b6', position: monacoEditor.OverviewRulerLane.Right },
    },
  }
}
