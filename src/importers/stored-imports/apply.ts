import type { Static } from 'typebox'
import { applyConfiguration } from '../../configuration/apply.ts'
import { ConfigurationResult } from '../../configuration/schema.ts'
import { openPlan } from '../../configuration/stored-plans.ts'
import { ApiError } from '../../contract/errors.ts'
import {
  type NetworkOperation,
  networkOperation,
  type Operation,
  type OperationContext,
} from '../../contract/operation.ts'
import type { LabelListener } from '../../monitoring/labels/save.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import type { ImportTable } from '../../storage/schema/configuration.ts'
import type { SourceName } from '../result.ts'
import { alreadyApplied, configurationSourceOf, importWithId, markApplied } from './rows.ts'
import { ApplyImport, common, importParams } from './schema.ts'

/** Applies a plan as configuration as code does, and deletes what was uploaded. */
export const applyImport = (operations: readonly Operation[], labelListeners: readonly LabelListener[]) => {
  const { prepare, run, save } = applyConfiguration(operations, labelListeners) as unknown as NetworkOperation<
    OperationContext,
    { readonly body: { readonly planId: string } },
    Static<typeof ConfigurationResult>,
    unknown,
    unknown
  >
  return networkOperation({
    ...common,
    id: 'applyImport',
    method: 'POST',
    path: '/imports/:importId/apply',
    access: 'write',
    bulk: true,
    notifies: true,
    summary: 'Apply an import',
    description:
      'Makes all changes of a plan of this import in one transaction. Contacts are created disabled; `POST /configuration/finish-import` ' +
      'enables them. What was uploaded is deleted; the report stays until you delete the import.',
    params: importParams,
    body: ApplyImport,
    answer: { status: 200, schema: ConfigurationResult, description: 'What was changed' },
    errors: ['conflict', 'plan_limit', 'not_found'],
    *prepare(context, { params: { importId }, body }) {
      const { source } = yield* unappliedImport(context, importId)
      const { wanted } = yield* openPlan(context, body.planId)
      if (wanted.document.outer.source !== configurationSourceOf(source as SourceName)) {
        throw new ApiError('conflict', reason('plan_of_other_import'))
      }
      return yield* prepare(context, { body })
    },
    run,
    *save(context, { params: { importId }, body }, findings) {
      const row = yield* unappliedImport(context, importId)
      const result = yield* save(context, { body }, findings)
      yield* markApplied(context, row)
      return result
    },
  })
}

function* unappliedImport(context: OperationContext, importId: string): DbWork<ImportTable> {
  const row = yield* importWithId(context, importId)
  if (row.applied_at !== null) throw alreadyApplied()
  return row
}
