// Problems that anybody reported to the space, in the workbench's Problems view and under the text.
import type * as vscode from 'vscode'
import type { Space } from '../../protocol/space'
import type { Problem } from '../../protocol/state'
import { uriOf } from '../core/uris'

export class Problems {
  private readonly collections = new Map<string, vscode.DiagnosticCollection>()

  constructor(
    private readonly api: typeof vscode,
    space: Space,
  ) {
    space.onPart('problems', (problems) => this.show(problems))
    this.show(space.part('problems'))
  }

  private show(problems: Record<string, Problem[]>): void {
    for (const [source, collection] of this.collections) {
      if (source in problems) continue
      collection.dispose()
      this.collections.delete(source)
    }
    for (const [source, list] of Object.entries(problems)) {
      const { createDiagnosticCollection } = this.api.languages
      const collection = this.collections.get(source) ?? createDiagnosticCollection(`openspace.${source}`)
      this.collections.set(source, collection)
      const byFile = Map.groupBy(list, ({ path }) => path)
      collection.clear()
      for (const [path, here] of byFile) {
        collection.set(uriOf(path), here.map((problem) => this.diagnostic(source, problem)))
      }
    }
  }

  private diagnostic(source: string, problem: Problem): vscode.Diagnostic {
    const { Diagnostic, DiagnosticSeverity, Range } = this.api
    const severity = {
      error: DiagnosticSeverity.Error,
      warning: DiagnosticSeverity.Warning,
      info: DiagnosticSeverity.Information,
      hint: DiagnosticSeverity.Hint,
    }[problem.severity]
    const endLine = (problem.endLine ?? problem.startLine) - 1
    const endColumn = problem.endColumn ? problem.endColumn - 1 : Number.MAX_SAFE_INTEGER
    const range = new Range(problem.startLine - 1, (problem.startColumn ?? 1) - 1, endLine, endColumn)
    const diagnostic = new Diagnostic(range, problem.message, severity)
    diagnostic.source = source
    if (problem.code) diagnostic.code = problem.code
    return diagnostic
  }
}
