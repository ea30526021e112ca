import { DeadlineError } from './errors.ts'
import { type Stop, Stopper } from './stop.ts'

/** A timer this late means that our own event loop stood still, so the other side cannot be blamed. */
const STALL_MS = 1000

export interface Deadline extends Disposable {
  /** Aborts with a DeadlineError when the time is over, or with the parent's reason. */
  readonly signal: Stop
}

/** One timer for all phases of one exchange. Dispose of it when the exchange is over. */
export function startDeadline(timeoutMs: number, parent?: Stop): Deadline {
  const stopper = new Stopper()
  const dueAt = performance.now() + timeoutMs
  const cancel = () => stopper.abort(parent?.reason)
  const expire = () => {
    const error = new DeadlineError(timeoutMs, performance.now() - dueAt > STALL_MS)
    // Timers run before sockets are read: an answer that is already here deserves its turn first.
    setImmediate(() => stopper.abort(error))
  }
  const timer = setTimeout(expire, timeoutMs)
  if (parent?.aborted) cancel()
  else parent?.addEventListener('abort', cancel)
  return {
    signal: stopper,
    [Symbol.dispose]() {
      clearTimeout(timer)
      parent?.removeEventListener('abort', cancel)
    },
  }
}

/** Waits for work that cannot be cancelled, but no longer than the signal allows. */
export function untilAborted<T>(work: Promise<T>, signal: Stop): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
