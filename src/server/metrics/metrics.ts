import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../lib/clock.ts'
import type { Checker, CheckerCounts } from '../../monitoring/checks/checker.ts'
import type { AlertCounters } from '../../notifications/contacts/sender.ts'
import type { SenderCounters } from '../../notifications/webhooks/sender.ts'

const LATENESS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300]
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300]
/** Few: each is a series of each operation. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10]
const GC_SECONDS = [0.01, 0.1, 1]

export interface Metrics {
  readonly registry: Registry
  /** Records the time since `startedAt` (`performance.now()`). */
  requestDone(operation: string, status: number, startedAt: number): void
  readonly internalErrors: Counter
  readonly malformedRequests: Counter
  readonly ready: Gauge
  /** How IPv4 and IPv6 addresses are pinged. */
  readonly pingMethods: Gauge<'ipv4' | 'ipv6'>
  readonly checks: CheckerCounts
  /** Calls `checker` at each scrape; undefined on a node without one. */
  observeChecker(checker: () => Pick<Checker, 'underWay' | 'countWaiting'> | undefined): void
}

/** A metric that is read at each scrape; not a number if it cannot be read, so that others are served while the database is unavailable. */
export function observe(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await Promise.try(read).catch(() => Number.NaN))
    },
  })
}

/** Nodes use the clock of the database. The skew shows that the clock of a machine is wrong. */
export function observeClockSkew(registry: Registry, local: Clock, database: Clock): void {
  const help = "Clock of this machine minus the database's"
  observe(registry, 'pharos_clock_skew_seconds', help, () => (local.now() - database.now()) / 1000)
}

/** Rows of queues that are not processed for now, because their processing ended the server or failed repeatedly. */
export function observeSetAside(registry: Registry, count: () => Promise<number>): void {
  const help = 'Rows of queues that wait because their processing crashed repeatedly'
  observe(registry, 'pharos_rows_set_aside', help, count)
}

/**
 * Metrics of one server; tests run several in one process. Two kinds are collected only if `/metrics` is served: process
 * metrics, because their timers wake an idle process about 100 times a second, and request times, because they cost 5 % of
 * the CPU time of a request.
 */
export function createMetrics(areServed: boolean): Metrics {
  const registry = new Registry()
  if (areServed) collectProcessMetrics(registry)
  const registers = [registry]
  const requests = new Counter({
    name: 'pharos_http_requests_total',
    help: 'Requests by operation and status',
    labelNames: ['operation', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'pharos_http_request_seconds',
    help: 'Time from a request to its response, by operation',
    labelNames: ['operation'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return {
    registry,
    requestDone(operation, status, startedAt) {
      if (!areServed) return
      requests.inc({ operation, status })
      durations.observe({ operation }, (performance.now() - startedAt) / 1000)
    },
    internalErrors: new Counter({
      name: 'pharos_internal_errors_total',
      help: 'Requests that failed because of a fault of this service',
      registers,
    }),
    malformedRequests: new Counter({
      name: 'pharos_stray_requests_total',
      help: 'Requests that are malformed, too long or too slow to be routed',
      registers,
    }),
    pingMethods: new Gauge({
      name: 'pharos_ping_way',
      help: 'How PING monitors are checked: datagram, raw, command or none',
      labelNames: ['ipv4', 'ipv6'],
      registers,
    }),
    ...checkMetrics(registry),
    ready: new Gauge({ name: 'pharos_ready', help: '1 while this node accepts requests', registers }),
  }
}

/** Half of what the library has: counts of handles and requests, of which there are resources, and the sizes of thirteen heap spaces. */
const unusedProcessMetrics = [
  'active_handles',
  'active_handles_total',
  'active_requests',
  'active_requests_total',
  'active_resources_total',
  'heap_space_size_total_bytes',
  'heap_space_size_used_bytes',
  'heap_space_size_available_bytes',
]

function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: 'pharos_', gcDurationBuckets: GC_SECONDS })
  for (const name of unusedProcessMetrics) registry.removeSingleMetric(`pharos_nodejs_${name}`)
}

function checkMetrics(registry: Registry): Pick<Metrics, 'checks' | 'observeChecker'> {
  const registers = [registry]
  const saved = new Counter({ name: 'pharos_checks_total', help: 'Checks whose result was saved', registers })
  const stale = new Counter({
    name: 'pharos_checks_overtaken_total',
    help: 'Results dropped because the monitor was changed during the check',
    registers,
  })
  const inconclusive = new Counter({
    name: 'pharos_checks_inconclusive_total',
    help: 'Checks without a result because of a fault of this service or its network',
    registers,
  })
  const lateness = new Histogram({
    name: 'pharos_check_lateness_seconds',
    help: 'Time from when a check was due to its start',
    buckets: LATENESS_SECONDS,
    registers,
  })
  return {
    checks: {
      saved(latenessMs) {
        saved.inc()
        if (latenessMs !== null) lateness.observe(Math.max(0, latenessMs) / 1000)
      },
      stale: () => stale.inc(),
      inconclusive: () => inconclusive.inc(),
    },
    observeChecker(checker) {
      observe(registry, 'pharos_checks_under_way', 'Checks in progress', () => checker()?.underWay ?? 0)
      const help = 'Checks that have been due for more than 5 seconds and wait for a place'
      observe(registry, 'pharos_checks_waiting', help, () => checker()?.countWaiting() ?? 0)
    },
  }
}

/** Metrics of the alert sender. `failing` is called at each scrape. */
export function alertMetrics(registry: Registry, failing: () => Promise<number>): AlertCounters {
  const registers = [registry]
  const messages = new Counter({
    name: 'pharos_alert_messages_total',
    help: 'Messages to alert contacts, by channel and outcome',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  const givenUp = new Counter({
    name: 'pharos_alerts_given_up_total',
    help: 'Alerts whose last attempt failed',
    labelNames: ['channel'],
    registers,
  })
  const help = 'Alert contacts of this installation whose last message failed'
  observe(registry, 'pharos_contacts_failing', help, failing)
  return {
    sent: (channel) => messages.inc({ channel, outcome: 'sent' }),
    failed: (channel) => messages.inc({ channel, outcome: 'failed' }),
    gaveUp: (channel, alerts) => givenUp.inc({ channel }, alerts),
  }
}

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
    buckets: DELIVERY_SECONDS,
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

interface ResponseCounters {
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
