import type { Log } from './log.ts'

/** What a tick says of the time until the next one: more work is waiting, or rest. */
export type Rest = 'again' | { restMs: number }

export interface Loop extends AsyncDisposable {
  /** Ends the present rest early: there may be work. */
  nudge(): void
  /** Lets the running tick finish, then stays still. */
  stop(): Promise<void>
}

/**
 * Loops that rest equally long wake up together, on a beat of the process: waking up costs several times what most ticks do,
 * and a process with nothing to do is to do next to nothing.
 */
function untilBeat(ms: number): number {
  const left = ms - (performance.now() % ms)
  // A timer may be a little early; the beat that it was for is not to come twice.
  return left < ms / 10 ? left + ms : left
}

/** A loop is a tick that says whether to rest; a tick that throws is logged and tried again after a pause. */
export function startLoop(name: string, log: Log, tick: (signal: AbortSignal) => Promise<Rest>): Loop {
  const stopping = new AbortController()
  let wake: (() => void) | undefined
  let nudged = false

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(done, untilBeat(ms))
      function done(): void {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
      wake = done
      if (nudged || stopping.signal.aborted) done()
      nudged = false
    })

  async function turn(): Promise<void> {
    while (!stopping.signal.aborted) {
      const next = await tick(stopping.signal).catch((error: unknown): Rest => {
        log.error({ err: error, loop: name }, 'a background loop failed; it goes on after a pause')
        return { restMs: 1_000 }
      })
      // A loop that never rests must still let timers and sockets have their turn.
      if (next === 'again') await new Promise<void>((resolve) => setImmediate(resolve))
      else await rest(next.restMs)
    }
  }

  const running = turn()
  const stop = async (): Promise<void> => {
    stopping.abort()
    wake?.()
    await running
  }
  return {
    nudge() {
      // One that comes while it ticks is for the rest after that.
      if (wake === undefined) nudged = true
      else wake()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
