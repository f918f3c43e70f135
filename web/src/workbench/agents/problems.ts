// Problems that anybody reported to the space, in the workbench's Problems view and under the text.
import type * as vscode from 'vscode'
import type { Space } from '../../protocol/space'
import type { Problem, ProblemsPart } from '../../protocol/state'
import { uriOf } from '../core/uris'

export class Problems {
  private readonly collections = new Map<string, vscode.DiagnosticCollection>()
  private shown: ProblemsPart = {}

  constructor(
    private readonly api: typeof vscode,
    space: Space,
  ) {
    space.onPart('problems', (problems) => this.show(problems))
    this.show(space.part('problems'))
  }

  private show(problems: ProblemsPart): void {
    for (const [key, { source, path }] of Object.entries(this.shown)) {
      if (!(key in problems)) this.collections.get(source)?.delete(uriOf(path))
    }
    for (const [key, file] of Object.entries(problems)) {
      // What did not change is the same entry as before.
      if (this.shown[key] === file) continue
      const found = file.problems.map((problem) => this.diagnostic(file.source, problem))
      this.collectionOf(file.source).set(uriOf(file.path), found)
    }
    this.shown = problems
    const sources = new Set(Object.values(problems).map(({ source }) => source))
    for (const [source, collection] of this.collections) {
      if (sources.has(source)) continue
      collection.dispose()
      this.collections.delete(source)
    }
  }

  private collectionOf(source: string): vscode.DiagnosticCollection {
    const collection =
      this.collections.get(source) ?? this.api.languages.createDiagnosticCollection(`openspace.${source}`)
    this.collections.set(source, collection)
    return collection
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
