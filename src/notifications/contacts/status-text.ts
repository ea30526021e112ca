import { MINUTE_MS } from '../../lib/clock.ts'
import { durationText } from '../../lib/duration.ts'
import { oneLine, truncate } from '../../lib/text.ts'
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
const phrases: Readonly<Record<State, { readonly one: string; readonly many: string; readonly counted: string }>> = {
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

/** Short enough for every channel. */
const MAX_TITLE_LENGTH = 120
const MAX_NAME_LENGTH = 60
const MIN_NAMES_LENGTH = 20
const MAX_NAMES = 3
const MAX_OTHER_STATES = 2

/**
 * The title of a message with these entries, which are sorted by urgency. The most urgent ones are named, the others are counted:
 * "10.0.0.12:5432 is down (2 others still down)".
 */
export function titleOf(entries: readonly Entry[]): string {
  const [lead = [], ...others] = Map.groupBy(entries, ({ state }) => state).values()
  const [first] = lead
  if (first === undefined) return 'Incident resolved'
  const status = lead.length === 1 ? statusText(first) : phrases[first.state].many
  const after = ` ${status}${countsOf(others, lead.length > MAX_NAMES)}`
  const names = lead.map(({ alert }) => truncate(oneLine(alert.subject), MAX_NAME_LENGTH))
  return truncate(namesIn(names, MAX_TITLE_LENGTH - after.length) + after, MAX_TITLE_LENGTH)
}

/** As many names as fit: "Checkout", "Checkout and Blog", "Checkout, Blog and 3 others". */
function namesIn(names: readonly string[], max: number): string {
  for (let count = Math.min(MAX_NAMES, names.length); count > 1; count -= 1) {
    const last = names.length === count ? names[count - 1] : othersText(names.length - count)
    const text = `${names.slice(0, names.length === count ? count - 1 : count).join(', ')} and ${last}`
    if (text.length <= max) return text
  }
  const rest = names.length === 1 ? '' : ` and ${othersText(names.length - 1)}`
  return truncate(names[0] ?? '', Math.max(MIN_NAMES_LENGTH, max - rest.length)) + rest
}

function othersText(count: number): string {
  return count === 1 ? '1 other' : `${count} others`
}

/** " (2 others still down, 1 back up)", or " (2 still down, 1 back up)" if others were counted before. */
function countsOf(groups: readonly (readonly Entry[])[], isAfterOthers: boolean): string {
  if (groups.length === 0) return ''
  const counts = groups.slice(0, MAX_OTHER_STATES).map((group, i) => {
    const number = i === 0 && !isAfterOthers ? othersText(group.length) : group.length
    return `${number} ${phrases[(group[0] as Entry).state].counted}`
  })
  const unnamed = groups.slice(MAX_OTHER_STATES).reduce((sum, { length }) => sum + length, 0)
  return ` (${[...counts, ...(unnamed > 0 ? [`${unnamed} more`] : [])].join(', ')})`
}
