import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { ask, first, q, statement, type Work } from '../../storage/query.ts'
import { countOf, seek } from '../../storage/roster.ts'
import { phaseAt } from '../maintenance-coverage/occurrences.ts'
import type { MaintenanceStatus } from '../maintenance-coverage/types.ts'
import { renderWindow } from './render.ts'
import { windowsOf } from './rows.ts'
import { MaintenanceQuery, MaintenanceWindowPage } from './schema.ts'
import { type MaintenanceRow, momentIn, timingOf } from './settings.ts'
import { isShownOn } from './shown.ts'

type Query = Static<typeof MaintenanceQuery>

export const listMaintenanceWindows = operation({
  id: 'listMaintenanceWindows',
  method: 'GET',
  path: '/maintenance-windows',
  access: 'read',
  tag: 'Maintenance windows',
  summary: 'List maintenance windows',
  description: 'In order of creation.',
  query: MaintenanceQuery,
  answer: { status: 200, schema: MaintenanceWindowPage, description: 'A page of maintenance windows' },
  *handle({ caller: { orgId }, now }, { query }) {
    const { limit, offset, ...filters } = query
    const found = Object.keys(filters).length === 0 ? yield* inOrder(orgId, query) : yield* filtered(orgId, query, now)
    const data = found.rows.map((row) => renderWindow(row, now))
    return { data, pagination: { limit, offset, total: found.total } }
  },
})

interface Found {
  readonly rows: readonly MaintenanceRow[]
  readonly total: number
}

function* inOrder(orgId: string, { limit, offset }: Query): Work<Found> {
  const total = yield* countOf(orgId, 'maintenance')
  if (offset >= total) return { rows: [], total }
  const { fromSeq, skip } = yield* seek(orgId, 'maintenance', offset)
  const rows = yield* ask(windowsOf(orgId).where('w.seq', '>=', fromSeq).orderBy('w.seq').limit(limit).offset(skip))
  return { rows, total }
}

const monitor = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', id),
)

function* filtered(orgId: string, query: Query, now: number): Work<Found> {
  const { status, monitorId, statusPageId, startsAfter, startsBefore } = query
  let matching = windowsOf(orgId)
  if (status !== undefined) {
    const { overtaken, fitting } = yield* overtakenByTheClock(orgId, status, now)
    matching = matching.where((is) => {
      const asTold = is('w.status', '=', status)
      if (overtaken.length === 0) return asTold
      const stillAsTold = is.and([asTold, is('w.id', 'not in', overtaken)])
      return fitting.length === 0 ? stillAsTold : is.or([stillAsTold, is('w.id', 'in', fitting)])
    })
  }
  if (monitorId !== undefined) {
    const found = yield* first(monitor, { orgId, id: monitorId })
    if (found === undefined) return { rows: [], total: 0 }
    matching = matching.where((is) => is.or([is('w.all_monitors', '=', 1), covers(orgId, found.num)]))
  }
  if (statusPageId !== undefined) matching = matching.where(isShownOn(orgId, statusPageId))
  if (startsAfter !== undefined) matching = matching.where('w.starts_at', '>', momentIn(startsAfter))
  if (startsBefore !== undefined) matching = matching.where('w.starts_at', '<', momentIn(startsBefore))
  const [count] = yield* ask(matching.clearSelect().select(sql<number>`count(*)`.as('total')))
  const rows = yield* ask(matching.orderBy('w.seq').limit(query.limit).offset(query.offset))
  return { rows, total: count?.total ?? 0 }
}

function covers(orgId: string, num: number) {
  return sql<boolean>`w.id in (select window_id from maintenance_monitors where org_id = ${orgId} and num = ${num})`
}

/** Windows that have begun or ended and were not told of yet, and those of them that have this status by now. */
function* overtakenByTheClock(
  orgId: string,
  status: MaintenanceStatus,
  now: number,
): Work<{ readonly overtaken: readonly string[]; readonly fitting: readonly string[] }> {
  const rows = yield* ask(windowsOf(orgId).where('w.next_transition_at', '<=', now))
  const fitting = rows.filter((row) => phaseAt(timingOf(row), now).status === status)
  return { overtaken: rows.map(({ id }) => id), fitting: fitting.map(({ id }) => id) }
}
