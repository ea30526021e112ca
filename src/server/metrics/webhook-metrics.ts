import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { SenderCounters } from '../../notifications/webhooks/sender.ts'

const DELAY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300]

/** Metrics of the webhook sender. */
export function senderMetrics(registry: Registry): SenderCounters {
  const registers = [registry]
  const attempts = new Counter({
    name: 'pharos_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook endpoint',
    labelNames: ['outcome'],
    registers,
  })
  const faults = new Counter({
    name: 'pharos_webhook_faults_total',
    help: 'Attempts that failed because of a fault of this service or its network and are not counted',
    registers,
  })
  const late = new Histogram({
    name: 'pharos_webhook_late_seconds',
    help: 'Delay between the scheduled and the actual start of an attempt',
    buckets: DELAY_SECONDS,
    registers,
  })
  const underWay = new Gauge({
    name: 'pharos_webhooks_under_way',
    help: 'Requests to webhook endpoints in progress',
    registers,
  })
  const succeeded = attempts.labels('succeeded')
  const failed = attempts.labels('failed')
  return {
    underWay: (change) => underWay.inc(change),
    attempted(isSuccess, lateMs) {
      ;(isSuccess ? succeeded : failed).inc()
      late.observe(lateMs / 1000)
    },
    faulted: () => faults.inc(),
  }
}
