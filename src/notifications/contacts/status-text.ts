import { MINUTE_MS } from '../../lib/clock.ts'
import { durationText } from '../../lib/duration.ts'
import type { Entry, State } from './chain/group-alerts.ts'
import type { Flapping } from './flapping.ts'

export function isGood(state: State): boolean {
  return state === 'up' || state === 'recovered'
}

/** How long the problem lasted, if it has ended. */
export function spanOf({ beganAt, endedAt }: Entry): string | null {
  return beganAt === null || endedAt === null ? null : durationText(endedAt - beganAt)
}

/** What follows the name of a monitor: "is down", "is back up after 3 min". */
export function statusText(entry: Entry): string {
  const { state, flapping } = entry
  if (flapping !== undefined) return `${flappingText(flapping)}, is ${state} now`
  const span = spanOf(entry)
  if (state === 'was_down') return `was down for ${span}, now up`
  if (state === 'was_degraded') return `was degraded for ${span}, now up`
  const after = isGood(state) && span !== null ? ` after ${span}` : ''
  return `${phrases[state].one}${after}`
}

/** "went down 6 times in 20 minutes" */
function flappingText({ outages, degradations, since, until }: Flapping): string {
  const parts = [
    ...(outages > 0 ? [`went down ${timesText(outages)}`] : []),
    ...(degradations > 0 ? [`was degraded ${timesText(degradations)}`] : []),
  ]
  const minutes = Math.max(1, Math.round((until - since) / MINUTE_MS))
  return `${parts.join(' and ')} in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** The state in one or two words. */
export const stateWords: Readonly<Record<State, string>> = {
  down: 'Down',
  still_down: 'Still down',
  network_down: 'Network down',
  degraded: 'Degraded',
  certificate_expiring: 'Certificate expiring',
  domain_expiring: 'Domain expiring',
  endpoint_disabled: 'Disabled',
  dns_changed: 'DNS changed',
  was_down: 'Back up',
  was_degraded: 'Recovered',
  up: 'Up',
  recovered: 'Recovered',
}

/** After one name, after several, and after a number: "2 others still down". */
export const phrases: Readonly<
  Record<State, { readonly one: string; readonly many: string; readonly counted: string }>
> = {
  down: { one: 'is down', many: 'are down', counted: 'down' },
  still_down: { one: 'is still down', many: 'are still down', counted: 'still down' },
  network_down: {
    one: 'cannot reach its targets',
    many: 'cannot reach their targets',
    counted: 'without a network',
  },
  degraded: { one: 'is degraded', many: 'are degraded', counted: 'degraded' },
  certificate_expiring: {
    one: 'has an expiring certificate',
    many: 'have expiring certificates',
    counted: 'with expiring certificate',
  },
  domain_expiring: { one: 'has an expiring domain', many: 'have expiring domains', counted: 'with expiring domain' },
  endpoint_disabled: { one: 'was disabled', many: 'were disabled', counted: 'disabled' },
  dns_changed: { one: 'has new DNS records', many: 'have new DNS records', counted: 'with new DNS records' },
  was_down: { one: 'was down, now up', many: 'were down, now up', counted: 'briefly down' },
  was_degraded: { one: 'was degraded, now up', many: 'were degraded, now up', counted: 'briefly degraded' },
  up: { one: 'is back up', many: 'are back up', counted: 'back up' },
  recovered: { one: 'is no longer degraded', many: 'are no longer degraded', counted: 'no longer degraded' },
}
