import { type TimingColumns, timingColumns } from '../../../monitoring/monitor-settings/stored.ts'
import type { MonitorState } from '../../../monitoring/monitor-states/state.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'

export interface MonitorRow extends TimingColumns {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly updated_at: number
  readonly state: MonitorState
  readonly memory: string
  readonly last_response_ms: number | null
  readonly last_status_changed_at: number | null
}

const onPage = ({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_monitors as p')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'p.num').onRef('m.org_id', '=', 'p.org_id'))
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'p.num').onRef('s.org_id', '=', 'p.org_id'))
    .select(['m.num', 'm.id', 'm.name', 'm.created_at', 'm.updated_at', ...timingColumns, 's.state', 's.memory'])
    .select(['s.last_response_ms', 's.last_status_changed_at'])
    .where('p.org_id', '=', orgId)
    .where('p.page_id', '=', pageId)

export function monitorsOf(pageKey: PageKey): DbWork<readonly MonitorRow[]> {
  return execute(onPage(pageKey))
}

export function* monitorOf(pageKey: PageKey, id: string): DbWork<MonitorRow | undefined> {
  return (yield* execute(onPage(pageKey).where('m.id', '=', id)))[0]
}
