import { batch, fromRows, sendAll, usingRows } from '../../storage/batch.ts'
import { lastAddedMonitor } from '../../storage/list-index.ts'
import { type DbWork, q, send, statement } from '../../storage/query.ts'
import { targetText } from '../monitor-settings/rules.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { newState } from '../monitor-states/state.ts'

/** For comparing names. Not done by the database, because the engines differ in lower case and in sort order. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/**
 * `monitor_list` has what the monitor list is sorted, filtered and searched by, in narrow rows. Indexes by name and by
 * state have what counts and pages need. A trigger copies the state when it changes.
 */
interface ListRow {
  readonly orgId: string
  readonly num: number
  readonly type: string
  readonly nameKey: string
  readonly searchText: string
}

function textsOf(settings: MonitorSettings): Pick<ListRow, 'type' | 'nameKey' | 'searchText'> {
  const nameKey = foldCase(settings.name)
  const searchText = `${nameKey}\n${foldCase(targetText(settings) ?? '')}`
  return { type: settings.type, nameKey, searchText }
}

const insert = statement((v: Omit<ListRow, 'num'>) =>
  q.insertInto('monitor_list').values({
    org_id: v.orgId,
    num: lastAddedMonitor(v.orgId),
    type: v.type,
    name_key: v.nameKey,
    search_text: v.searchText,
    state: newState.state,
    changed_at: null,
    uptime: null,
  }),
)

/** Lists the monitor that was inserted last. The settings have masked secrets. */
export function* insertListRow(orgId: string, masked: MonitorSettings): DbWork<void> {
  yield* send(insert, { orgId, ...textsOf(masked) })
}

const types = { orgId: 'text', num: 'bigint', type: 'text', nameKey: 'text', searchText: 'text' } as const

const update = batch<ListRow>(types, (v, rows) =>
  fromRows(
    q
      .updateTable('monitor_list as l')
      .set({ type: v.type, name_key: v.nameKey, search_text: v.searchText })
      .where('l.org_id', '=', v.orgId)
      .where('l.num', '=', v.num),
    rows,
  ),
)

/** After a change of settings. */
export function* updateListRows(
  orgId: string,
  monitors: readonly { readonly num: number; readonly masked: MonitorSettings }[],
): DbWork<void> {
  yield* sendAll(
    update,
    monitors.map(({ num, masked }) => ({ orgId, num, ...textsOf(masked) })),
  )
}

const remove = batch<{ orgId: string; num: number }>({ orgId: 'text', num: 'bigint' }, (m, rows) =>
  usingRows(q.deleteFrom('monitor_list as l'), rows).where('l.org_id', '=', m.orgId).where('l.num', '=', m.num),
)

export function* deleteListRows(orgId: string, nums: readonly number[]): DbWork<void> {
  yield* sendAll(
    remove,
    nums.map((num) => ({ orgId, num })),
  )
}
