import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'

const MAX_INCIDENTS = 50

const OutlivedIncident = resource('OutlivedIncident', {
  id: Type.String({ minLength: 1 }),
  title: Type.String(),
  upSince: { ...Timestamp, description: 'When the last of its monitors came up' },
  monitors: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'The monitors that it affects. All of them are up',
  }),
})

export const listOutlivedIncidents = operation({
  id: 'listOutlivedIncidents',
  extension: true,
  method: 'GET',
  path: '/outlived-incidents',
  access: 'read',
  tag: 'Published incidents',
  summary: 'List the published incidents that are still open although their monitors came up again',
  description:
    'Status pages show them as ongoing. An incident is listed if all monitors that it affects are up, and the last of them came up after ' +
    `the incident had started. Among the newest ${MAX_INCIDENTS} open ones.`,
  answer: {
    status: 200,
    schema: resource('OutlivedIncidents', { data: Type.Array(OutlivedIncident) }),
    description: 'The incidents, newest first',
  },
  *handle({ caller: { orgId } }) {
    const open = yield* openIncidents(orgId)
    const monitors = yield* affectedMonitors(
      orgId,
      open.map(({ id }) => id),
    )
    const data = open.flatMap(({ id, title, started_at: startedAt }) => {
      const affected = monitors.get(id) ?? []
      const upSince = Math.max(0, ...affected.map((one) => one.last_status_changed_at ?? 0))
      if (upSince < startedAt || affected.some(({ state }) => state !== 'UP')) return []
      return [
        {
          id,
          title,
          upSince: isoTimestamp(upSince),
          monitors: affected.map((one) => ({ id: one.id, name: one.name })),
        },
      ]
    })
    return { data }
  },
})

function* openIncidents(orgId: string) {
  const open = q.selectFrom('published_incidents').select(['id', 'title', 'started_at']).where('org_id', '=', orgId)
  return yield* execute(open.where('resolved_at', 'is', null).orderBy('seq', 'desc').limit(MAX_INCIDENTS))
}

/** By the id of the incident. */
function* affectedMonitors(orgId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never[]>()
  const rows = yield* execute(
    q
      .selectFrom('published_incident_monitors as a')
      .innerJoin('monitors as m', (on) => on.onRef('m.org_id', '=', 'a.org_id').onRef('m.num', '=', 'a.num'))
      .innerJoin('monitor_states as s', 's.num', 'm.num')
      .select(['a.published_id', 'm.id', 'm.name', 's.state', 's.last_status_changed_at'])
      .where('a.org_id', '=', orgId)
      .where('a.published_id', 'in', ids)
      .orderBy('m.name'),
  )
  return Map.groupBy(rows, (row) => row.published_id)
}
