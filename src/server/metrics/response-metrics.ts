import { Counter, Gauge, type Registry } from 'prom-client'

export interface ResponseCounters {
  /** A connection was closed because its reader stopped reading. */
  stalled(): void
  /** A connection was closed because slow readers needed too much memory. */
  displaced(): void
}

/** Metrics of responses that wait for slow readers. `pendingBytes` is called at each scrape. */
export function responseMetrics(registry: Registry, pendingBytes: () => number): ResponseCounters {
  const registers = [registry]
  const dropped = new Counter({
    name: 'pharos_slow_readers_dropped_total',
    help: 'Connections closed because the client did not read its response',
    labelNames: ['reason'],
    registers,
  })
  new Gauge({
    name: 'pharos_response_bytes_pending',
    help: 'Bytes of responses that their clients have not read yet',
    registers,
    collect() {
      this.set(pendingBytes())
    },
  })
  const [stalled, displaced] = [dropped.labels('stalled'), dropped.labels('memory')]
  return { stalled: () => stalled.inc(), displaced: () => displaced.inc() }
}
