import { batch, insertRows, sendAll, usingRows } from '../../storage/batch.ts'
import { all, type DbWork, q, run, runEach, statement } from '../../storage/query.ts'

/** The rows by which a window is found from its monitors and pages. */
interface WindowKey {
  readonly orgId: string
  readonly id: string
}

const linkedNums = statement(({ orgId, id }: WindowKey) =>
  q.selectFrom('maintenance_monitors').select('num').where('org_id', '=', orgId).where('window_id', '=', id),
)

type MonitorLink = WindowKey & { readonly num: number }
const types = { orgId: 'text', id: 'text', num: 'bigint' } as const

const link = batch<MonitorLink>(types, ({ orgId, id, num }, rows) =>
  insertRows('maintenance_monitors', { org_id: orgId, window_id: id, num }, rows),
)

const unlink = batch<MonitorLink>(types, ({ orgId, id, num }, rows) =>
  usingRows(q.deleteFrom('maintenance_monitors as l'), rows)
    .where('l.org_id', '=', orgId)
    .where('l.window_id', '=', id)
    .where('l.num', '=', num),
)

/** The numbers of the monitors that a window lists, and of those that match its selector. */
export function* linkedMonitors({ orgId, id }: WindowKey): DbWork<ReadonlySet<number>> {
  return new Set((yield* all(linkedNums, { orgId, id })).map(({ num }) => num))
}

/** Links a window to these monitors only. Returns which ones left it and which ones are new. */
export function* linkMonitors(
  { orgId, id }: WindowKey,
  after: ReadonlySet<number>,
): DbWork<{ readonly left: readonly number[]; readonly entered: readonly number[] }> {
  const before = yield* linkedMonitors({ orgId, id })
  const left = [...before.difference(after)]
  const entered = [...after.difference(before)]
  const linkTo = (num: number) => ({ orgId, id, num })
  yield* sendAll(unlink, left.map(linkTo))
  yield* sendAll(link, entered.map(linkTo))
  return { left, entered }
}

const unlinkPages = statement(({ orgId, id }: WindowKey) =>
  q.deleteFrom('maintenance_pages').where('org_id', '=', orgId).where('window_id', '=', id),
)
const linkPage = statement(({ orgId, id, pageId }: WindowKey & { pageId: string }) =>
  q.insertInto('maintenance_pages').values({ org_id: orgId, window_id: id, page_id: pageId }),
)

/** Links a window to these pages only. */
export function* linkPages({ orgId, id }: WindowKey, pageIds: readonly string[]): DbWork<void> {
  yield* run(unlinkPages, { orgId, id })
  yield* runEach(
    linkPage,
    [...new Set(pageIds)].map((pageId) => ({ orgId, id, pageId })),
  )
}
