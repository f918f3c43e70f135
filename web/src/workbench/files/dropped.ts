// What is dropped on the explorer from the desktop: the workbench uploads it and shows how far it is. What is too
// large is refused before it is read, because a browser would take it all into memory first.
import { adviceOf, type Notices } from '../core/notices'
import { MOST_BYTES, tooLarge } from '../../protocol/files'

const EXPLORER = '.explorer-folders-view'

export function refuseLargeDrops(container: HTMLElement, notices: Notices): void {
  const listener = (event: DragEvent): void => {
    if (!(event.target instanceof Element) || !event.target.closest(EXPLORER)) return
    // Of a folder only its name is known here; what is in it is refused file by file.
    const large = [...(event.dataTransfer?.files ?? [])].filter(({ size }) => size > MOST_BYTES)
    if (large.length === 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    for (const { name, size } of large) notices.warning(adviceOf(tooLarge(name, size)))
  }
  // Before the explorer, which listens further inside.
  container.addEventListener('drop', listener, { capture: true })
}
