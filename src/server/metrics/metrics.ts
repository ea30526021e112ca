import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../lib/clock.ts'
import type { Checker, CheckerCounts } from '../../monitoring/checks/checker.ts'

const LATENESS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300]
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

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

/**
 * Metrics of one server; tests run several in one process. Two kinds are collected only if `/metrics` is served: process
 * metrics, because their timers wake an idle process about 100 times a second, and request times, because they cost 5 % of
 * the CPU time of a request.
 */
export function createMetrics(areServed: boolean): Metrics {
  const registry = new Registry()
  if (areServed) collectDefaultMetrics({ register: registry, prefix: 'pharos_' })
  const registers = [registry]
  const requests = new Histogram({
    name: 'pharos_http_request_seconds',
    help: 'Time from a request to its response, by operation and status',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return {
    registry,
    requestDone(operation, status, startedAt) {
      if (areServed) requests.observe({ operation, status }, (performance.now() - startedAt) / 1000)
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
