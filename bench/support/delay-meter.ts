import { createHistogram } from 'node:perf_hooks'

export interface Delays {
  /** How late timers of the thread were. */
  readonly p99Ms: number
  readonly maxMs: number
  /** The most CPU time of the thread without a break: what blocks it, whatever else the machine does. */
  readonly blockedMaxMs: number
}

export interface DelayMeter {
  start(): void
  stop(): void
  /** Of all times between a start and a stop since the last call. */
  read(): Delays
}

const EVERY_MS = 2

/** Measures how long the thread's event loop is blocked. Node's own `monitorEventLoopDelay` counts a stop as a delay. */
export function createDelayMeter(): DelayMeter {
  const histogram = createHistogram()
  let timer: NodeJS.Timeout | undefined
  let blockedMaxMs = 0
  return {
    start() {
      let [at, cpu] = [performance.now(), process.threadCpuUsage()]
      timer = setInterval(() => {
        const { user, system } = process.threadCpuUsage(cpu)
        blockedMaxMs = Math.max(blockedMaxMs, (user + system) / 1000)
        const lateMs = performance.now() - at - EVERY_MS
        histogram.record(Math.max(1, Math.round(lateMs * 1000)))
        at = performance.now()
        cpu = process.threadCpuUsage()
      }, EVERY_MS)
    },
    stop: () => clearInterval(timer),
    read() {
      const delays = { p99Ms: histogram.percentile(99) / 1000, maxMs: histogram.max / 1000, blockedMaxMs }
      histogram.reset()
      blockedMaxMs = 0
      return delays
    },
  }
}
