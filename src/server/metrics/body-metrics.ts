import { Counter, Gauge, type Registry } from 'prom-client'

/** Metrics of request bodies that are arriving. `pendingBytes` is called at each scrape. Returns what counts a refused body. */
export function bodyMetrics(registry: Registry, pendingBytes: () => number): () => void {
  const registers = [registry]
  const refused = new Counter({
    name: 'pharos_request_bodies_refused_total',
    help: 'Requests answered with 429 because unfinished request bodies needed too much memory',
    registers,
  })
  new Gauge({
    name: 'pharos_request_body_bytes_pending',
    help: 'Memory of request bodies that have not arrived completely',
    registers,
    collect() {
      this.set(pendingBytes())
    },
  })
  return () => refused.inc()
}
