import { operation } from '../../contract/operation.ts'
import { pageJson } from './page-json.ts'
import { StatusPage, StatusPageParams } from './schema.ts'

export const getStatusPage = operation({
  id: 'getStatusPage',
  method: 'GET',
  path: '/status-pages/:statusPageId',
  access: 'read',
  tag: 'Status pages',
  summary: 'Get a status page',
  description: 'With its sections and its overall status.',
  params: StatusPageParams,
  answer: { status: 200, schema: StatusPage, description: 'The status page' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now, installation }, { params }) {
    return yield* pageJson({ orgId, rules: installation, now }, params.statusPageId)
  },
})
