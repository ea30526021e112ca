import { planAndStore } from '../../configuration/create-plan.ts'
import { itemsOf } from '../../configuration/items.ts'
import type { KindName } from '../../configuration/kinds/kind.ts'
import { ConfigurationPlan } from '../../configuration/schema.ts'
import { splitDocument } from '../../configuration/split-document.ts'
import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { withRenames } from '../renames.ts'
import type { SourceName } from '../result.ts'
import { withValues } from '../variables.ts'
import { without } from './choose.ts'
import { alreadyApplied, configurationSourceOf, importWithId, openResult } from './rows.ts'
import { common, importParams, PlanImport } from './schema.ts'

export const planImport = operation({
  ...common,
  id: 'planImport',
  method: 'POST',
  path: '/imports/:importId/plan',
  access: 'write',
  bulk: true,
  skipsAudit: true,
  summary: 'Plan an import',
  description:
    'Returns what importing the chosen objects would change. Nothing changes but the plan, which is stored encrypted for an hour. ' +
    'What an earlier import from the tool created and this one leaves out is released: it is kept, and managed by hand from then on.',
  params: importParams,
  body: PlanImport,
  bodyRequired: false,
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: { status: 200, schema: ConfigurationPlan, description: 'The plan' },
  errors: ['not_found', 'conflict'],
  *handle(context, { params: { importId }, body: { keys, variableValues = {} } }) {
    const row = yield* importWithId(context, importId)
    const { document: read, objects } = openResult(context, row)
    if (read === null) throw alreadyApplied()
    const source = configurationSourceOf(row.source as SourceName)
    const items = yield* itemsOf(context.caller.orgId)
    const known = (kind: string) =>
      items[kind as KindName]?.all.flatMap((item) => (item.source === source ? item.key : [])) ?? []
    const document = withRenames({ document: read, objects }, known)
    const chosen = keys && new Set(keys)
    // What belongs to no object, such as a page that was made of groups, is always imported.
    const left = new Set(objects.flatMap(({ key }) => (chosen === undefined || !key || chosen.has(key) ? [] : [key])))
    const split = splitDocument(withValues(without(document, left), variableValues), 'document')
    if ('faults' in split) throw invalid(split.faults)
    return yield* planAndStore(context, { document: split, deletes: false })
  },
})
