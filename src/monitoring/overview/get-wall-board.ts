import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestampOrNull } from '../../lib/timestamp.ts'
import { execute, inOneSnapshot, q } from '../../storage/query.ts'
import { findMonitors } from '../monitor-list/find.ts'
import { monitorStates } from '../monitor-states/state.ts'

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

export const getWallBoard = operation({
  id: 'getWallBoard',
  extension: true,
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
  *handle({ caller: { orgId }, installation, now }) {
    yield* inOneSnapshot()
    const found = yield* findMonitors(orgId, { sort: 'state', order: 'asc' }, now, installation.transports)
    const nums = yield* found.page(0, MAX_TILES)
    const rows = yield* tileRows(orgId, nums)
    const data = nums.flatMap((num) => {
      const row = rows.get(num)
      if (row === undefined) return []
      const { id, name, state, changedAt, lastResponseMs } = row
      const isProblem = state === 'DOWN' || state === 'DEGRADED'
      const since = isProblem ? isoTimestampOrNull(changedAt) : null
      return { id, name, state, inMaintenance: found.isInMaintenance(num), since, lastResponseMs }
    })
    return { data, counts: { ...found.counts } }
  },
})

function* tileRows(orgId: string, nums: readonly number[]) {
  if (nums.length === 0) return new Map<number, never>()
  const rows = yield* execute(
    q
      .selectFrom('monitors as m')
      .innerJoin('monitor_states as s', 's.num', 'm.num')
      .select(['m.num', 'm.id', 'm.name', 's.state'])
      .select(['s.last_status_changed_at as changedAt', 's.last_response_ms as lastResponseMs'])
      .where('m.org_id', '=', orgId)
      .where('m.num', 'in', nums),
  )
  return new Map(rows.map((row) => [row.num, row]))
}
