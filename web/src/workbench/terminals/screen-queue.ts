// Mends the queue of output of the terminal emulator that the workbench brings (xterm.js).
//
// When a screen is resized, the emulator first shows what waits in its queue, and this version starts
// at the head of it, with what was already shown: a resize in the middle of output shows lines twice.
// What was shown is taken out of the queue before. Goes when the workbench brings an emulator without
// this fault; does nothing to one that is built in another way.
import { outputQueueOf } from '../core/upstream'

const mended = new WeakSet<object>()

export function mendQueue(screen: object): void {
  const queue = outputQueueOf(screen)
  if (!queue || mended.has(queue)) return
  mended.add(queue)
  const flush = queue.flushSync
  queue.flushSync = () => {
    const shown = Math.min(queue._bufferOffset, queue._writeBuffer.length)
    queue._writeBuffer.splice(0, shown)
    queue._callbacks.splice(0, shown)
    queue._bufferOffset = 0
    flush.call(queue)
  }
}
