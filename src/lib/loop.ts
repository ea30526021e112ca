import type { Log } from './log.ts'

/** What a tick returns: run again at once, or rest first. */
export type Rest = 'again' | { restMs: number }

export interface Loop extends AsyncDisposable {
  /** Ends the current rest, because there may be work. During a tick: skips the rest after it. */
  nudge(): void
  /** Lets the running tick finish, then ends. */
  stop(): Promise<void>
}

const RETRY_MS = 1_000

/** Calls `tick` until it is stopped. A tick that throws is logged and retried after a second. */
export function startLoop(name: string, log: Log, tick: (signal: AbortSignal) => Promise<Rest>): Loop {
  const stopping = new AbortController()
  let wake: (() => void) | undefined
  let isNudged = false

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
      wake = done
      if (isNudged || stopping.signal.aborted) done()
      isNudged = false
    })

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const next = await tick(stopping.signal).catch((error: unknown): Rest => {
        log.error({ err: error, loop: name }, 'background loop failed; retrying')
        return { restMs: RETRY_MS }
      })
      // Yields to timers and sockets even if the loop never rests.
      if (next === 'again') await new Promise<void>((resolve) => setImmediate(resolve))
      else await rest(next.restMs)
    }
  }

  const running = run()
  const stop = async (): Promise<void> => {
    stopping.abort()
    wake?.()
    await running
  }
  return {
    nudge() {
      if (wake === undefined) isNudged = true
      else wake()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
