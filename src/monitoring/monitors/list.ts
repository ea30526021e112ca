import { operation } from '../../contract/operation.ts'
import { countInList, seekInList } from '../../storage/list-index.ts'
import { monitorsInOrder } from './queries.ts'
import { pageJson } from './render.ts'
import { MonitorPage, MonitorQuery } from './schema.ts'

export const listMonitors = operation({
  id: 'listMonitors',
  method: 'GET',
  path: '/monitors',
  access: 'read',
  tag: 'Monitors',
  summary: 'List monitors',
  description: 'In order of creation. Keep paging until offset + limit reaches pagination.total.',
  query: MonitorQuery,
  answer: { status: 200, schema: MonitorPage, description: 'A page of monitors' },
  *handle({ caller, installation }, { query: { limit, offset } }) {
    const total = yield* countInList(caller.orgId, 'monitor')
    if (offset >= total) return pageJson([], { limit, offset, total })
    const from = yield* seekInList(caller.orgId, 'monitor', offset)
    return pageJson(yield* monitorsInOrder(caller, from, limit, installation), { limit, offset, total })
  },
})
