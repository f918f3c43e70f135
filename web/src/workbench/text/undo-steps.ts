// A person's undo takes back what the person did, also after others changed the text.
//
// The steps that can be undone or redone hold offsets. When somebody else's edits come in, the steps are
// moved as if those edits had been there before, instead of becoming a step of their own. It looks inside
// the workbench's stack: where that is not as expected, it says so and changes nothing.
import type { IUndoRedoService } from '@codingame/monaco-vscode-api'
import type { Uri } from 'monaco-editor'
import { flawOf, type TextEdits } from '../../protocol/text-edits'
import {
  EndOfLineSequence, MultiModelEditStackElement, setStepData, SingleModelEditStackData, SingleModelEditStackElement,
  stepDataOf, TextChange, type ITextModel,
} from '../core/upstream'
import { moveStep, type StepChange } from './step-changes'

interface Step {
  element: SingleModelEditStackElement
  wasClosed: boolean
  data: SingleModelEditStackData
}

type Moved = [Step, StepChange[], boolean]

/** Prepare the steps of a file for edits by others, in the model's offsets; call the result when they are made. */
export function prepareSteps(
  undo: IUndoRedoService, file: Uri, eol: string, edits: TextEdits,
): (() => void) | undefined {
  const { past, future } = undo.getElements(file)
  const expected = eol === '\n' ? EndOfLineSequence.LF : EndOfLineSequence.CRLF
  const pastSteps = past.map((element) => stepOf(element, file, expected)).reverse()
  const futureSteps = future.map((element) => stepOf(element, file, expected)).reverse()
  if (!areSteps(pastSteps) || !areSteps(futureSteps)) return undefined
  const moved = [...moveAll(pastSteps, edits, 'undo'), ...moveAll(futureSteps, edits, 'redo')]
  return () => {
    for (const [step, changes, keepsCursor] of moved) store(step, changes, keepsCursor)
  }
}

function areSteps(steps: (Step | undefined)[]): steps is Step[] {
  return steps.every((step) => step !== undefined)
}

function stepOf(element: unknown, file: Uri, eol: EndOfLineSequence): Step | undefined {
  if (element instanceof MultiModelEditStackElement) {
    const parts = element.split() as SingleModelEditStackElement[]
    return stepOf(parts.find((part) => part.matchesResource(file)), file, eol)
  }
  if (!(element instanceof SingleModelEditStackElement)) return undefined
  const found = stepDataOf(element)
  const wasClosed = !(found instanceof SingleModelEditStackData)
  const data = wasClosed ? SingleModelEditStackData.deserialize(found) : found
  if (data.beforeEOL !== eol || data.afterEOL !== eol) return undefined
  const isFlawed = (['undo', 'redo'] as const).some((way) => flawOf(changedBy(data.changes, way), Infinity))
  return isFlawed ? undefined : { element, wasClosed, data }
}

function changedBy(changes: readonly StepChange[], direction: 'undo' | 'redo'): TextEdits {
  return changes.map(({ oldPosition, oldText, newPosition, newText }) =>
    direction === 'undo'
      ? { start: newPosition, end: newPosition + newText.length, text: oldText }
      : { start: oldPosition, end: oldPosition + oldText.length, text: newText },
  )
}

/** The nearest step first. */
function moveAll(steps: Step[], edits: TextEdits, direction: 'undo' | 'redo'): Moved[] {
  let theirs = edits
  return steps.map((step) => {
    const { changes, next, isBefore } = moveStep(step.data.changes, theirs, direction)
    theirs = next
    return [step, changes, isBefore]
  })
}

function store({ element, wasClosed, data }: Step, changes: StepChange[], keepsCursor: boolean): void {
  const moved = new SingleModelEditStackData(
    data.beforeVersionId, data.afterVersionId, data.beforeEOL, data.afterEOL,
    // Where the cursor was is not known in the new text: it stays where it is then.
    keepsCursor ? data.beforeCursorState : null,
    keepsCursor ? data.afterCursorState : null,
    changes.map((change) => new TextChange(change.oldPosition, change.oldText, change.newPosition, change.newText)),
  )
  setStepData(element, wasClosed ? moved.serialize() : moved)
}

/** Versions of a text that no other text has. */
const FAR_VERSIONS = 1_000_000_000

/** Make what can be undone in one text undoable in another that has the same content. */
export function moveSteps(undo: IUndoRedoService, from: ITextModel, to: ITextModel): void {
  const eol = from.getEOL() === '\n' ? EndOfLineSequence.LF : EndOfLineSequence.CRLF
  const { past } = undo.getElements(from.uri)
  if (from.getEOL() !== to.getEOL() || from.getValue() !== to.getValue()) return
  const steps = past.map((element) => stepOf(element, from.uri, eol))
  // What lies before a step that cannot be moved would be undone in a text that it does not know.
  const known = steps.slice(steps.lastIndexOf(undefined) + 1).filter((step) => step !== undefined)
  undo.removeElements(to.uri)
  for (const { element, data } of known) {
    const moved = new SingleModelEditStackElement(element.label, element.code, to, data.beforeCursorState)
    // The numbers of the old text's versions mean others in the new one, such as the one that is saved.
    const [before, after] = [data.beforeVersionId, data.afterVersionId].map((version) => version + FAR_VERSIONS)
    setStepData(moved, new SingleModelEditStackData(
      before ?? 0, after ?? 0, data.beforeEOL, data.afterEOL, data.beforeCursorState, data.afterCursorState,
      data.changes,
    ).serialize())
    undo.pushElement(moved)
  }
}
