// Problems of files by who reported them, as the workbench underlines and lists them.
import { IMarkerService, getService } from '@codingame/monaco-vscode-api'
import type { Uri } from 'monaco-editor'
import type { IMarkerData } from '../upstream'

export interface DiagnosticCollections {
  createDiagnosticCollection(owner: string): DiagnosticCollection
}

/** What one source says about files; lines and columns count from 1. */
export interface DiagnosticCollection {
  set(uri: Uri, problems: IMarkerData[]): void
  delete(uri: Uri): void
  dispose(): void
}

export class Markers implements DiagnosticCollections {
  private constructor(private readonly service: IMarkerService) {}

  static async start(): Promise<Markers> {
    return new Markers(await getService(IMarkerService))
  }

  createDiagnosticCollection(owner: string): DiagnosticCollection {
    return {
      set: (uri, problems) => this.service.changeOne(owner, uri, problems),
      delete: (uri) => this.service.remove(owner, [uri]),
      dispose: () => this.service.changeAll(owner, []),
    }
  }
}
