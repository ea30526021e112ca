import { type RawBuilder, sql } from 'kysely'
import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { parsedSelector } from '../../contract/selector.ts'
import { matchesSelector, parseSelector, selectorText } from '../../lib/selector.ts'
import { reason } from '../../reasons/reason.ts'
import { labelsOfMonitor } from '../../storage/labels/read.ts'
import { all, cacheable, type DbWork, q } from '../../storage/query.ts'
import type { ContactTable, Coverage } from '../../storage/schema/contacts.ts'

type MonitorsCovered = Pick<ContactTable, 'covers' | 'selector'>

export interface CoverageChange {
  readonly covers?: Coverage
  readonly selector?: string | null
}

/** What a new contact covers if the request does not say. */
export const ALL_MONITORS: MonitorsCovered = { covers: 'ALL', selector: null }

/** What a contact covers after a change, with the selector in its canonical form, or the faults of the change. */
export function coverageAfter(
  before: MonitorsCovered,
  change: CoverageChange,
): { readonly value: MonitorsCovered } | { readonly faults: readonly Fault[] } {
  const covers = change.covers ?? before.covers
  if (covers !== 'LABELS') {
    if (typeof change.selector !== 'string') return { value: { covers, selector: null } }
    return { faults: [{ path: 'selector', message: 'is allowed only if covers is LABELS' }] }
  }
  const text = change.selector === undefined ? before.selector : change.selector
  if (text === null)
    return { faults: [faultFor('selector', reason('selector_needed', { field: 'covers', value: 'LABELS' }))] }
  const parsed = parsedSelector(text, 'selector')
  return 'faults' in parsed ? parsed : { value: { covers, selector: selectorText(parsed.selector) } }
}

const coveringByLabels = cacheable(({ orgId }: { orgId: string }) =>
  q.selectFrom('contacts').select(['id', 'selector']).where('org_id', '=', orgId).where('covers', '=', 'LABELS'),
)

/** The ids of the contacts whose selector matches a monitor, between commas. Reads no labels if no contact has a selector. */
export function* contactsByLabels(orgId: string, num: number | null): DbWork<string> {
  if (num === null) return ''
  const contacts = yield* all(coveringByLabels, { orgId })
  if (contacts.length === 0) return ''
  const labels = yield* labelsOfMonitor(orgId, num)
  const matching = contacts.filter(({ selector }) => matchesSelector(parseSelector(selector ?? ''), labels))
  return matching.length === 0 ? '' : `,${matching.map(({ id }) => id).join(',')},`
}

/**
 * Whether the contact `c` of a statement covers the monitor with this number. `byLabels` is the result of
 * `contactsByLabels` for the monitor.
 */
export function coversMonitor(num: RawBuilder<number>, byLabels: string): RawBuilder<boolean> {
  return sql<boolean>`(case c.covers
    when 'LABELS' then cast(${byLabels} as text) like '%,' || c.id || ',%'
    else (c.covers = 'ALL') <> exists (
      select 1 from contact_exceptions x
      where x.org_id = c.org_id and x.contact_id = c.id and x.monitor_num = ${num})
    end)`
}
