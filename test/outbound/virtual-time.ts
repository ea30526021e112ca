import { mock } from 'node:test'

/** Virtual milliseconds per turn of the event loop. */
const STEP_MS = 5

/**
 * Until disposed, `setTimeout` and `performance.now` follow a virtual clock that advances by 5 ms per turn of the event loop.
 * Between two steps the loop polls its sockets, so what this process sends to itself arrives before timers fire, however
 * busy the machine is. `setInterval`, `AbortSignal.timeout` and the timers inside Node keep using real time.
 */
export function startVirtualTime(): Disposable {
  let nowMs = performance.now()
  mock.timers.enable({ apis: ['setTimeout'] })
  const now = mock.method(performance, 'now', () => nowMs)
  const ticking = setInterval(() => {
    nowMs += STEP_MS
    mock.timers.tick(STEP_MS)
  }, 1)
  return {
    [Symbol.dispose]() {
      clearInterval(ticking)
      now.mock.restore()
      mock.timers.reset()
    },
  }
}
