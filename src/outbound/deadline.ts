import { DeadlineError } from './errors.ts'

/** A timer that fires this late means that our own event loop stalled; the peer may have answered in time. */
const STALL_MS = 1000

/**
 * One timer for all phases of one exchange. Its signal aborts with a DeadlineError when the time is up, or with the parent's reason.
 * Dispose of it afterwards: it holds a timer and listens to the parent.
 */
export function startDeadline(timeoutMs: number, parent?: AbortSignal) {
  const controller = new AbortController()
  const dueAt = performance.now() + timeoutMs
  const abortWithParent = () => controller.abort(parent?.reason)
  const expire = () => {
    const error = new DeadlineError(timeoutMs, performance.now() - dueAt > STALL_MS)
    // Timers run before sockets are read. Waiting for one poll phase lets a response that has already arrived be read first.
    setImmediate(() => controller.abort(error))
  }
  const timer = setTimeout(expire, timeoutMs)
  if (parent?.aborted) abortWithParent()
  else parent?.addEventListener('abort', abortWithParent)
  return {
    signal: controller.signal,
    [Symbol.dispose](): void {
      clearTimeout(timer)
      parent?.removeEventListener('abort', abortWithParent)
    },
  }
}

/** Waits for work that cannot be cancelled, at most until the signal aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
