import { operation } from '../../contract/operation.ts'
import { readSelector } from '../../contract/selector.ts'
import { pageOfMonitors, pageOfSelected } from './page.ts'
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
  // Page and total come from one statement; with a selector, from a snapshot.
  skipsSnapshot: true,
  *handle({ caller, installation }, { query: { labels, ...range } }) {
    if (labels === undefined) return yield* pageOfMonitors(caller, range, installation)
    return yield* pageOfSelected(caller, readSelector(labels, 'labels'), range, installation)
  },
})
