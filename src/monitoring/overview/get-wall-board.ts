import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { reasonField } from '../../contract/reason-fields.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestampOrNull } from '../../lib/timestamp.ts'
import { execute, inOneSnapshot } from '../../storage/query.ts'
import type { Failure } from '../incidents/render.ts'
import { findMonitors, stateCounts } from '../monitor-list/find.ts'
import { monitorStates } from '../monitor-states/state.ts'
import { monitorsWithStates } from '../monitors/queries.ts'

/** More tiles than this are not readable on one screen. */
const MAX_TILES = 500

const Tile = resource('WallBoardTile', {
  id: Type.String(),
  name: Type.String(),
  state: oneOf(monitorStates),
  inMaintenance: Type.Boolean(),
  since: nullable(Timestamp, { description: 'Since when it is DOWN or DEGRADED; null in other states' }),
  reason: nullable(Type.String(), {
    description: 'The last failure of its open incident; null in other states than DOWN',
  }),
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
  query: Type.Object({ labels: Type.Optional(SelectorText) }),
  answer: {
    status: 200,
    schema: resource('WallBoard', {
      data: Type.Array(Tile),
      counts: Type.Object({
        ...stateCounts,
        maintenance: Type.Integer({ description: 'In maintenance now; also counted by their state' }),
        total: Type.Integer(),
      }),
    }),
    description: 'The monitors and their number by state',
  },
  *handle({ caller: { orgId }, installation, now }, { query }) {
    yield* inOneSnapshot()
    const found = yield* findMonitors(orgId, { ...query, sort: 'state', order: 'asc' }, now, installation.transports)
    const nums = yield* found.page(0, MAX_TILES)
    const rows = nums.length === 0 ? [] : yield* tileRows(orgId, nums)
    const byNum = new Map(rows.map((row) => [row.num, row]))
    const data = nums.flatMap((num) => {
      const row = byNum.get(num)
      if (row === undefined) return []
      const { id, name, state, changedAt, lastResponseMs } = row
      const isProblem = state === 'DOWN' || state === 'DEGRADED'
      const since = isProblem ? isoTimestampOrNull(changedAt) : null
      const failure = state === 'DOWN' && row.failure !== null ? (parseStored(row.failure) as Failure) : null
      const inMaintenance = found.isInMaintenance(num)
      return {
        id,
        name,
        state,
        inMaintenance,
        since,
        ...reasonField('reason', failure?.error ?? null),
        lastResponseMs,
      }
    })
    return { data, counts: { ...found.counts } }
  },
})

function tileRows(orgId: string, nums: readonly number[]) {
  return execute(
    monitorsWithStates()
      .leftJoin('incidents as i', (on) =>
        on.onRef('i.org_id', '=', 'm.org_id').onRef('i.num', '=', 'm.num').on('i.resolved_at', 'is', null),
      )
      .select(['m.num', 'm.id', 'm.name', 's.state'])
      .select([
        's.last_status_changed_at as changedAt',
        's.last_response_ms as lastResponseMs',
        'i.last_failure as failure',
      ])
      .where('m.org_id', '=', orgId)
      .where('m.num', 'in', nums),
  )
}
