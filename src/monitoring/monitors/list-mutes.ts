import Type from 'typebox'
import { NamedActor } from '../../contract/actor.ts'
import { operation } from '../../contract/operation.ts'
import { page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { listPage } from '../../storage/list-index.ts'
import { q } from '../../storage/query.ts'
import { renderMute } from './mutes.ts'

const MutedMonitor = resource('MutedMonitor', {
  monitorId: Type.String({ minLength: 1 }),
  name: Type.String(),
  until: Timestamp,
  mutedAt: Timestamp,
  mutedBy: { ...NamedActor, description: 'Who muted it, with the name at that time' },
})

export const listMutes = operation({
  id: 'listMutes',
  method: 'GET',
  path: '/mutes',
  access: 'read',
  extension: true,
  tag: 'Monitors',
  summary: 'List the muted monitors',
  description: 'Those whose mute ends first come first.',
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: page('MutedMonitorPage', MutedMonitor), description: 'A page of muted monitors' },
  *handle({ caller: { orgId }, now }, { query: { limit, offset } }) {
    const muted = q
      .selectFrom('monitor_mutes as x')
      .innerJoin('monitors as m', 'm.num', 'x.monitor_num')
      .select(['m.id', 'm.name', 'x.until', 'x.muted_at', 'x.muted_by'])
      .where('x.org_id', '=', orgId)
      .where('x.until', '>', now)
      .orderBy('x.until')
      .orderBy('x.monitor_num')
    const { rows, total } = yield* listPage(muted, { limit, offset })
    const data = rows.map(({ id, name, ...row }) => ({ monitorId: id, name, ...renderMute(row) }))
    return { data, pagination: { limit, offset, total } }
  },
})
