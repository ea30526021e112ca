import { type RawBuilder, sql } from 'kysely'
import { matchesSelector, parseSelector } from '../../lib/selector.ts'
import { labelsOfMonitor } from '../../storage/labels/read.ts'
import { all, cacheable, type DbWork, q } from '../../storage/query.ts'

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
