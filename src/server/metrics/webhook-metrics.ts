import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { SenderCounts } from '../../notifications/webhooks/courier.ts'

const LATE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300]

/** What the sender of webhooks counts; `underWay` is asked whenever somebody wants to know. */
export function senderMetrics(registry: Registry, underWay: () => number): SenderCounts {
  const registers = [registry]
  const attempts = new Counter({
    name: 'pharos_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook endpoint',
    labelNames: ['outcome'],
    registers,
  })
  const faults = new Counter({
    name: 'pharos_webhook_faults_total',
    help: 'Attempts that did not count, through a fault of this service or its surroundings',
    registers,
  })
  const late = new Histogram({
    name: 'pharos_webhook_late_seconds',
    help: 'How long after its time an attempt began',
    buckets: LATE_SECONDS,
    registers,
  })
  new Gauge({
    name: 'pharos_webhooks_under_way',
    help: 'Requests to webhook endpoints that have begun and not yet ended',
    registers,
    collect() {
      this.set(underWay())
    },
  })
  const succeeded = attempts.labels('succeeded')
  const failed = attempts.labels('failed')
  return {
    attempted(isSuccess, lateMs) {
      ;(isSuccess ? succeeded : failed).inc()
      late.observe(lateMs / 1000)
    },
    faulted: () => faults.inc(),
  }
}
