import { batch, insertBatch, sendAll, usingRows } from '../../storage/batch.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'

/** The rows by which a window is found from its monitors and pages. */
interface WindowKey {
  readonly orgId: string
  readonly id: string
}

const types = { org_id: 'text', window_id: 'text', num: 'bigint' } as const

const link = insertBatch('maintenance_monitors', types)

const unlink = batch<{ org_id: string; window_id: string; num: number }>(types, (key, rows) =>
  usingRows(q.deleteFrom('maintenance_monitors as l'), rows)
    .where('l.org_id', '=', key.org_id)
    .where('l.window_id', '=', key.window_id)
    .where('l.num', '=', key.num),
)

/** The numbers of the monitors that a window lists, and of those that match its selector. */
export function* linkedMonitors({ orgId, id }: WindowKey): DbWork<ReadonlySet<number>> {
  const rows = yield* execute(
    q.selectFrom('maintenance_monitors').select('num').where('org_id', '=', orgId).where('window_id', '=', id),
  )
  return new Set(rows.map(({ num }) => num))
}

/** Links a window to these monitors only. Returns which ones left it and which ones are new. */
export function* linkMonitors(
  { orgId, id }: WindowKey,
  after: ReadonlySet<number>,
): DbWork<{ readonly left: readonly number[]; readonly entered: readonly number[] }> {
  const before = yield* linkedMonitors({ orgId, id })
  const left = [...before.difference(after)]
  const entered = [...after.difference(before)]
  const linkTo = (num: number) => ({ org_id: orgId, window_id: id, num })
  yield* sendAll(unlink, left.map(linkTo))
  yield* sendAll(link, entered.map(linkTo))
  return { left, entered }
}

/** Links a window to these pages only. */
export function* linkPages({ orgId, id }: WindowKey, pageIds: readonly string[]): DbWork<void> {
  yield* execute(q.deleteFrom('maintenance_pages').where('org_id', '=', orgId).where('window_id', '=', id))
  const links = [...new Set(pageIds)].map((pageId) => ({ org_id: orgId, window_id: id, page_id: pageId }))
  if (links.length > 0) yield* execute(q.insertInto('maintenance_pages').values(links))
}
