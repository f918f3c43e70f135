// Unsaved text: typed by several, kept by the server.
import type { Feature, Page } from '../core/feature'
import type { MovingText } from '../core/moves'
import type { FileVersions, SharedText } from '../core/shared-text'
import { LiveBuffers } from './buffers'

/** Must be called before the workbench starts, whose own question at closing would otherwise be asked first. */
export function register(
  { space }: Page, files: { versions: FileVersions },
): Feature & { shared: SharedText; moving: MovingText } {
  const buffers = new LiveBuffers(space, files.versions)
  return { shared: buffers, moving: buffers, start: () => buffers.start() }
}
