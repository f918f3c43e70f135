// Files and folders that were moved, as features see them.

export interface FileMove {
  from: string
  to: string
}

/** The text of open files, as whoever replaces their tabs sees it. */
export interface MovingText {
  /**
   * The tab of a file is about to become that of its new path; dispose of it when it has. Nothing when the
   * workbench moves the file itself.
   */
  moving(move: FileMove): Promise<{ dispose(): void } | undefined>
}

/** Moves that are remembered. */
const MOST_MOVES = 64

/** What was moved of late, one after the other. */
export class RecentMoves {
  private readonly moves: FileMove[] = []

  remember(move: FileMove): void {
    this.moves.push(move)
    if (this.moves.length > MOST_MOVES) this.moves.shift()
  }

  /** Where a path is by now; nothing when it stayed. */
  after(path: string): string | undefined {
    let last: string | undefined
    for (const move of this.moves) last = pathAfter(last ?? path, move) ?? last
    return last
  }
}

function pathAfter(path: string, { from, to }: FileMove): string | undefined {
  if (path === from) return to
  return path.startsWith(`${from}/`) ? to + path.slice(from.length) : undefined
}
