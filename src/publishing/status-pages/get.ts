import { operation } from '../../contract/operation.ts'
import { pageJson } from './page-json.ts'
import { ofPage, StatusPage } from './schema.ts'

export const getStatusPage = operation({
  ...ofPage,
  id: 'getStatusPage',
  method: 'GET',
  access: 'read',
  summary: 'Get a status page',
  description: 'With its sections and its overall status.',
  answer: { status: 200, schema: StatusPage, description: 'The status page' },
  *handle({ caller: { orgId }, now, installation }, { params }) {
    return yield* pageJson({ orgId, rules: installation, now }, params.statusPageId)
  },
})
