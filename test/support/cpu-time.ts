/** CPU time of this thread. The time on the clock also counts other processes. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const yardstick = JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ a: `${i}` })))
/** What parsing it takes on a quiet core of 3 GHz. */
const YARDSTICK_MS = 20

/** How much longer this processor takes now: it may be slower, or share a core and its caches with a busy neighbour. At least 1. */
export function slowness(): number {
  const before = threadCpuMs()
  JSON.parse(yardstick)
  return Math.max(1, (threadCpuMs() - before) / YARDSTICK_MS)
}

/** Measures the most CPU time that one turn of the event loop takes, as a quiet machine would. */
export function measureTurns(): { stop(): number } {
  let longestMs = 0
  let last = threadCpuMs()
  const tick = (): void => {
    const now = threadCpuMs()
    longestMs = Math.max(longestMs, now - last)
    last = now
    timer = setImmediate(tick)
  }
  let timer = setImmediate(tick)
  return {
    stop() {
      clearImmediate(timer)
      return longestMs / slowness()
    },
  }
}
