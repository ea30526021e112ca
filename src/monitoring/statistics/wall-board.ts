import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestampOrNull } from '../../lib/timestamp.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { monitorStates } from '../monitor-states/state.ts'
import { findMonitors } from './find-monitors.ts'

/** More tiles than this are not readable on one screen. */
const MAX_TILES = 500

const Tile = resource('WallBoardTile', {
  id: Type.String(),
  name: Type.String(),
  state: oneOf(monitorStates),
  inMaintenance: Type.Boolean(),
  since: nullable(Timestamp, { description: 'Since when it is DOWN or DEGRADED; null in other states' }),
  lastResponseMs: nullable(Type.Integer()),
})

export const getWallBoard = appOperation('getWallBoard', {
  method: 'GET',
  path: '/wall-board',
  access: 'read',
  tag: 'Insight',
  summary: 'List the state of all monitors for a wall board',
  description: `The most urgent first, ${MAX_TILES} at most. Much cheaper than the monitor list, which has statistics.`,
  answer: {
    status: 200,
    schema: resource('WallBoard', {
      data: Type.Array(Tile),
      counts: Type.Object({
        up: Type.Integer(),
        degraded: Type.Integer(),
        down: Type.Integer(),
        paused: Type.Integer(),
        pending: Type.Integer(),
        maintenance: Type.Integer({ description: 'In maintenance now; also counted by their state' }),
        total: Type.Integer(),
      }),
    }),
    description: 'The monitors and their number by state',
  },
  *handle({ caller: { orgId }, now }) {
    const found = yield* findMonitors(orgId, { sort: 'state', order: 'asc' }, now)
    const shown = found.matches.slice(0, MAX_TILES)
    const since = yield* changeTimes(
      orgId,
      shown.filter(({ state }) => state === 'DOWN' || state === 'DEGRADED').map(({ num }) => num),
    )
    const data = shown.map(({ num, id, name, state, lastResponseMs }) => {
      const at = since.get(num) ?? null
      const inMaintenance = found.isInMaintenance(num)
      return { id, name, state, inMaintenance, since: isoTimestampOrNull(at), lastResponseMs }
    })
    return { data, counts: { ...found.counts } }
  },
})

function* changeTimes(orgId: string, nums: readonly number[]): DbWork<ReadonlyMap<number, number | null>> {
  if (nums.length === 0) return new Map()
  const rows = yield* execute(
    q
      .selectFrom('monitor_states')
      .select(['num', 'last_status_changed_at as at'])
      .where('org_id', '=', orgId)
      .where('num', 'in', nums),
  )
  return new Map(rows.map(({ num, at }) => [num, at]))
}
