import { oneLine, truncate } from '../../lib/text.ts'
import type { Entry, State } from './chain/group-alerts.ts'
import type { PlainKey } from './languages/catalogue.ts'
import type { Words } from './languages/words.ts'
import type { EntryText } from './write-entry.ts'

/** Short enough for every channel; Slack has the lowest limit. */
const MAX_TITLE = 150
/** Names are not cut before this. */
const MIN_NAME = 60
/** "A, B and C", or "A, B and 10 more". */
const MAX_NAMES = 3

type ManyKey = Extract<PlainKey, `${string}_many`>

const many: Readonly<Record<Exclude<State, 'network_down'>, ManyKey>> = {
  down: 'down_many',
  degraded: 'degraded_many',
  certificate_expiring: 'certificateExpires_many',
  domain_expiring: 'domainExpires_many',
  endpoint_disabled: 'endpointDisabled_many',
  dns_changed: 'dnsChanged_many',
  was_down: 'wasDown_many',
  was_degraded: 'wasDegraded_many',
  acknowledged: 'acknowledged_many',
  up: 'up_many',
  recovered: 'recovered_many',
}

export interface WrittenEntry {
  readonly entry: Entry
  readonly text: EntryText
}

/**
 * The title of a message with these entries, which are sorted by urgency. The most urgent ones are named, the others are counted:
 * "Checkout, Orders API and 10 more are down, 3 more changes".
 */
export function titleOf(written: readonly WrittenEntry[], words: Words): string {
  const [first] = written
  if (first === undefined) return words.text('ended')
  const lead = written.filter(({ entry }) => groupOf(entry) === groupOf(first.entry))
  const others = written.length - lead.length
  const rest = others === 0 ? '' : words.counted('moreChanges', others, { title: '' })
  const title =
    lead.length === 1 ? shortened(first, MAX_TITLE - rest.length) : manyTitle(lead, MAX_TITLE - rest.length, words)
  return others === 0 ? title : words.counted('moreChanges', others, { title })
}

/** A flapping monitor that is down is down first of all. */
function groupOf({ state, flapping, alert }: Entry): string {
  if (state === 'acknowledged') return `${state} ${alert.facts?.acknowledgedBy}`
  return flapping !== undefined && state !== 'down' ? 'flapping' : state
}

/** Cuts the name of the monitor rather than what happened to it. */
function shortened({ entry, text: { title } }: WrittenEntry, max: number): string {
  if (title.length <= max) return title
  const name = oneLine(entry.alert.subject)
  const at = title.indexOf(name)
  if (at === -1) return truncate(title, max)
  const cut = truncate(name, Math.max(MIN_NAME, name.length - (title.length - max)))
  return truncate(title.slice(0, at) + cut + title.slice(at + name.length), max)
}

function manyTitle(lead: readonly WrittenEntry[], max: number, words: Words): string {
  const [{ entry }] = lead as [WrittenEntry]
  const names = lead.map(({ entry: { alert } }) => truncate(oneLine(alert.subject), MIN_NAME))
  const who = truncate(oneLine(entry.alert.facts?.acknowledgedBy ?? ''), MIN_NAME)
  const key =
    entry.flapping !== undefined && entry.state !== 'down'
      ? 'flapping_many'
      : entry.state === 'network_down'
        ? undefined
        : many[entry.state]
  if (key === undefined) return truncate(lead[0]?.text.title ?? '', max)
  for (let count = MAX_NAMES; count > 1; count -= 1) {
    const title = words.text(key, { names: words.names(names, count), who })
    if (title.length <= max) return title
  }
  return truncate(words.text(key, { names: words.names(names, 1), who }), max)
}
