// Unsaved text: typed by several, kept by the server.
import type { Feature, Page } from '../core/feature'
import type { FileVersions, SharedText } from '../core/shared-text'
import { LiveBuffers } from './buffers'

/** Must be called before the workbench starts, whose own question at closing would otherwise be asked first. */
export function register({ space }: Page, files: { versions: FileVersions }): Feature & { shared: SharedText } {
  const buffers = new LiveBuffers(space, files.versions)
  return { shared: buffers, start: () => buffers.start() }
}
