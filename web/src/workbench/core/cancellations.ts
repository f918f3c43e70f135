// Work that the workbench gave up by itself is no failure, and nobody needs to hear of it.
//
// VS Code's own page says so to its error handler; this one has no such handler. Whatever else fails
// without being caught stays an error that the browser reports.
import { isCancellationError } from './upstream'

export function passOverCancellations(): void {
  window.addEventListener('unhandledrejection', (event) => {
    if (isCancellationError(event.reason)) event.preventDefault()
  })
}
