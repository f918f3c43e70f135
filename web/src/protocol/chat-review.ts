// What a session changed in files, as the server says it: numbers in the space, hunks when they are asked for.

/** The changes of a file in numbers. */
export interface ReviewCounts { hunks: number; reviewed: number; added: number; removed: number; version: number }
export type Missed = 'too_large' | 'not_text' | 'unknown' | 'meanwhile' | 'full' | 'forgotten'
/** What the space has of a session. */
export interface Review { files: Record<string, ReviewCounts>; missed: Record<string, Missed> }

export interface ReviewedHunk {
  hunk: string; reviewed: boolean
  /** As the session made it, changed by somebody since, or taken back. */
  state: 'made' | 'changed' | 'gone'
  /** Its first line in the file now, and how many it has there. */
  line: number; lines: number; old: string; new: string; leftOut: number
}
export interface ReviewedFile {
  path: string; change: 'added' | 'deleted' | 'modified'; added: number; removed: number; hunks: ReviewedHunk[]
  hunksLeftOut: number; unreadable: Missed | null
}
export interface Reviewed {
  address: string; files: ReviewedFile[]; missed: { path: string; why: Missed }[]; toReview: number; leftOut: number
}
/** What is left once something was accepted or undone. */
export interface Left { address: string; hunks: number; toReview: number }

/** Hunks of all files that nobody has reviewed. */
export function toReview({ files }: Review): number {
  return Object.values(files).reduce((sum, { hunks, reviewed }) => sum + Math.max(0, hunks - reviewed), 0)
}

/** A place in a review. */
export interface Place { path: string; line: number }

/** The next hunk that nobody has reviewed, or the one before, around the end; nothing when there is none. */
export function nextUnreviewed(
  files: readonly ReviewedFile[], from: Place | undefined, step: 1 | -1,
): { file: ReviewedFile; hunk: ReviewedHunk } | undefined {
  const open = files.flatMap((file) => file.hunks.filter(({ reviewed }) => !reviewed).map((hunk) => ({ file, hunk })))
  if (!from) return step > 0 ? open[0] : open.at(-1)
  const order = new Map(files.map(({ path }, index) => [path, index]))
  const here = order.get(from.path) ?? -1
  const compare = ({ file, hunk }: { file: ReviewedFile; hunk: ReviewedHunk }) =>
    (order.get(file.path) ?? 0) - here || hunk.line - from.line
  const found = step > 0 ? open.find((one) => compare(one) > 0) : open.findLast((one) => compare(one) < 0)
  return found ?? (step > 0 ? open[0] : open.at(-1))
}

/** The hunk at a line, else the first after it, else the last. */
export function hunkAt(hunks: readonly ReviewedHunk[], line: number): ReviewedHunk | undefined {
  const touches = (hunk: ReviewedHunk) => hunk.line <= line && line < hunk.line + Math.max(1, hunk.lines)
  return hunks.find(touches) ?? hunks.find((hunk) => hunk.line > line) ?? hunks.at(-1)
}
