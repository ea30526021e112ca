import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { CheckerCounts } from '../../monitoring/checks/checker.ts'
import { RequestTimes } from './request-times.ts'

export interface Metrics {
  readonly registry: Registry
  readonly requests: RequestTimes
  readonly internalErrors: Counter
  readonly strayRequests: Counter
  readonly ready: Gauge
  /** The way in which each family of addresses is pinged. */
  readonly pingWays: Gauge<'ipv4' | 'ipv6'>
  readonly checks: CheckerCounts
  /** Asks how many checks are under way whenever somebody wants to know. */
  watchChecks(count: () => number): void
}

/**
 * What this process counts; one registry per server, so that tests can run several in one process. Figures of the process
 * itself are taken only where somebody can ask for them: they wake it up a hundred times a second.
 */
export function createMetrics(areServed: boolean): Metrics {
  const registry = new Registry()
  if (areServed) collectDefaultMetrics({ register: registry, prefix: 'pharos_' })
  const registers = [registry]
  return {
    registry,
    requests: new RequestTimes(registry),
    internalErrors: new Counter({
      name: 'pharos_internal_errors_total',
      help: 'Requests that failed through a fault of this service',
      registers,
    }),
    strayRequests: new Counter({
      name: 'pharos_stray_requests_total',
      help: 'Requests answered before they could be understood: malformed, over-long, timed out',
      registers,
    }),
    pingWays: new Gauge({
      name: 'pharos_ping_way',
      help: 'How PING monitors are checked: datagram, raw, command or none',
      labelNames: ['ipv4', 'ipv6'],
      registers,
    }),
    ...checkMetrics(registry),
    ready: new Gauge({ name: 'pharos_ready', help: '1 while this node takes requests', registers }),
  }
}

function checkMetrics(registry: Registry): Pick<Metrics, 'checks' | 'watchChecks'> {
  const registers = [registry]
  const landed = new Counter({ name: 'pharos_checks_total', help: 'Checks whose result was written', registers })
  const overtaken = new Counter({
    name: 'pharos_checks_overtaken_total',
    help: 'Results dropped because the monitor had changed meanwhile',
    registers,
  })
  const inconclusive = new Counter({
    name: 'pharos_checks_inconclusive_total',
    help: 'Checks that said nothing about their target, through a fault of this service or its surroundings',
    registers,
  })
  return {
    checks: {
      landed: () => landed.inc(),
      overtaken: () => overtaken.inc(),
      inconclusive: () => inconclusive.inc(),
    },
    watchChecks(count) {
      new Gauge({
        name: 'pharos_checks_under_way',
        help: 'Checks that have begun and not yet ended',
        registers,
        collect() {
          this.set(count())
        },
      })
    },
  }
}
