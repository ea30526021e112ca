import { sql } from 'kysely'
import Type from 'typebox'
import { NamedActor } from '../../contract/actor.ts'
import { operation } from '../../contract/operation.ts'
import { page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { readSelector, SelectorText } from '../../contract/selector.ts'
import { foldCase, likeText } from '../../lib/text.ts'
import { selectMonitors } from '../../storage/labels/select.ts'
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
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name of the monitor, in any case' }),
    ),
    labels: Type.Optional(SelectorText),
  }),
  answer: { status: 200, schema: page('MutedMonitorPage', MutedMonitor), description: 'A page of muted monitors' },
  *handle({ caller: { orgId }, now }, { query: { limit, offset, q: words, labels } }) {
    let muted = q
      .selectFrom('monitor_mutes as x')
      .innerJoin('monitors as m', 'm.num', 'x.monitor_num')
      .select(['m.id', 'm.name', 'x.until', 'x.muted_at', 'x.muted_by'])
      .where('x.org_id', '=', orgId)
      .where('x.until', '>', now)
      .orderBy('x.until')
      .orderBy('x.monitor_num')
    if (words !== undefined) {
      const pattern = `%${likeText(foldCase(words))}%`
      muted = muted.where(sql<boolean>`m.name_key like ${pattern} escape '\\'`)
    }
    if (labels !== undefined) {
      const { nums } = yield* selectMonitors(orgId, readSelector(labels, 'labels'))
      muted = muted.where(sql<boolean>`x.monitor_num in (${nums})`)
    }
    const { rows, total } = yield* listPage(muted, { limit, offset })
    const data = rows.map(({ id, name, ...row }) => ({ monitorId: id, name, ...renderMute(row) }))
    return { data, pagination: { limit, offset, total } }
  },
})
