import { oneLine, truncate } from '../../lib/text.ts'
import type { Entry } from './chain/group-alerts.ts'
import { phrases, statusText } from './status-text.ts'

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
