// Problems that anybody reported to the space, in the workbench's Problems view and under the text.
import type { Space } from '../../protocol/space'
import type { Problem, ProblemsPart } from '../../protocol/state'
import type { Api } from '../core/api'
import type { DiagnosticCollection } from '../core/api/markers'
import { MarkerSeverity, MarkerTag, type IMarkerData } from '../core/upstream'
import { uriOf } from '../core/uris'

export class Problems {
  private readonly collections = new Map<string, DiagnosticCollection>()
  private shown: ProblemsPart = {}

  constructor(
    private readonly api: Api,
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
      const found = file.problems.map((problem) => markerOf(file.source, problem))
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

  private collectionOf(source: string): DiagnosticCollection {
    const collection =
      this.collections.get(source) ?? this.api.languages.createDiagnosticCollection(`openspace.${source}`)
    this.collections.set(source, collection)
    return collection
  }
}

const SEVERITIES = {
  error: MarkerSeverity.Error,
  warning: MarkerSeverity.Warning,
  info: MarkerSeverity.Info,
  hint: MarkerSeverity.Hint,
}

const TAGS = { unnecessary: MarkerTag.Unnecessary, deprecated: MarkerTag.Deprecated }

function markerOf(source: string, problem: Problem): IMarkerData {
  return {
    startLineNumber: problem.startLine,
    startColumn: problem.startColumn ?? 1,
    endLineNumber: problem.endLine ?? problem.startLine,
    // The workbench ends it with the line.
    endColumn: problem.endColumn ?? Number.MAX_SAFE_INTEGER,
    message: problem.message,
    severity: SEVERITIES[problem.severity],
    source,
    ...(problem.code ? { code: problem.code } : {}),
    ...(problem.tags ? { tags: problem.tags.map((tag) => TAGS[tag]) } : {}),
  }
}
