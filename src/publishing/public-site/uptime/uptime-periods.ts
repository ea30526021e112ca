import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import { type Fared, faredOf } from '../../../monitoring/statistics/uptime.ts'
import type { Tally } from '../../../monitoring/monitor-states/ledger.ts'
import { tallyOf } from '../../../monitoring/monitor-states/rollups.ts'
import { all, type DbWork, q, statement } from '../../../storage/query.ts'
import { type Account, firstDayOf, openHours } from './daily-uptime.ts'

/** The spans that a monitor's page tells of. Up to a week is added up from hours, more from days, as the bars are. */
const spans = [{ hours: 24 }, { days: 7 }, { days: 30 }, { days: 90 }] as const satisfies readonly SpanLength[]

export type SpanLength = { readonly hours: number } | { readonly days: number }

export interface SpanView {
  readonly span: SpanLength
  readonly fared: Fared
}

interface Since {
  readonly orgId: string
  readonly num: number
  readonly from: number
}

const rows = (table: 'rollup_hours' | 'rollup_days') =>
  statement(({ orgId, num, from }: Since) =>
    q.selectFrom(table).selectAll().where('num', '=', num).where('org_id', '=', orgId).where('start_at', '>=', from),
  )

const hoursSince = rows('rollup_hours')
const daysSince = rows('rollup_days')

interface Stretch {
  readonly startAt: number
  readonly tally: Tally
}

/** How a monitor fared over each span that ends now. */
export function* spansOf(orgId: string, num: number, account: Account, now: number): DbWork<readonly SpanView[]> {
  const hours = yield* all(hoursSince, { orgId, num, from: startOf({ days: 7 }, now) })
  const days = yield* all(daysSince, { orgId, num, from: startOf({ days: 90 }, now) })
  const open = openHours(account, now).map(({ hour, tally }) => ({ startAt: hour, tally }))
  const stretch = (row: (typeof hours)[number]): Stretch => ({ startAt: row.start_at, tally: tallyOf(row) })
  const [byHour, byDay] = [
    [...hours.map(stretch), ...open],
    [...days.map(stretch), ...open],
  ]
  return spans.map((span) => {
    const from = startOf(span, now)
    const within = (isLong(span) ? byDay : byHour).filter(({ startAt }) => startAt >= from)
    return { span, fared: faredOf(within.map(({ tally }) => tally)) }
  })
}

function isLong(span: SpanLength): boolean {
  return 'days' in span && span.days > 7
}

function startOf(span: SpanLength, now: number): number {
  if (isLong(span)) return firstDayOf(now, 'days' in span ? span.days : 1) * DAY_MS
  const ms = 'hours' in span ? span.hours * HOUR_MS : span.days * DAY_MS
  return Math.floor((now - ms) / HOUR_MS) * HOUR_MS
}
