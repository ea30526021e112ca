import { Counter, type Registry } from 'prom-client'
import { observe } from './metrics.ts'

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
  const help = 'Bytes of responses that their clients have not read yet'
  observe(registry, 'pharos_response_bytes_pending', help, pendingBytes)
  const [stalled, displaced] = [dropped.labels('stalled'), dropped.labels('memory')]
  return { stalled: () => stalled.inc(), displaced: () => displaced.inc() }
}

/** Metrics of request bodies that are arriving. `pendingBytes` is called at each scrape. Returns what counts a refused body. */
export function bodyMetrics(registry: Registry, pendingBytes: () => number): () => void {
  const refused = new Counter({
    name: 'pharos_request_bodies_refused_total',
    help: 'Requests answered with 429 because unfinished request bodies needed too much memory',
    registers: [registry],
  })
  const help = 'Memory of request bodies that have not arrived completely'
  observe(registry, 'pharos_request_body_bytes_pending', help, pendingBytes)
  return () => refused.inc()
}
