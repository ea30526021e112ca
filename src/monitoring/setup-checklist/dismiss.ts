import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notifyWatchers, q, run, statement } from '../../storage/query.ts'
import { Checklist, readChecklist } from './get.ts'

const dismiss = statement((row: { orgId: string; now: number }) =>
  q
    .insertInto('dismissed_checklists')
    .values({ org_id: row.orgId, dismissed_at: row.now })
    .onConflict((conflict) => conflict.column('org_id').doNothing()),
)

const restore = statement(({ orgId }: { orgId: string }) =>
  q.deleteFrom('dismissed_checklists').where('org_id', '=', orgId),
)

export const dismissSetupChecklist = appOperation('dismissSetupChecklist', {
  method: 'POST',
  path: '/setup-checklist/dismiss',
  tag: 'Insight',
  summary: 'Hide the setup checklist, or show it again',
  description: 'For all members of the organization.',
  body: Type.Object({ dismissed: Type.Boolean() }, { additionalProperties: false }),
  answer: { status: 200, schema: Checklist, description: 'The checklist as it is now' },
  *handle({ caller: { orgId }, installation, now }, { body: { dismissed } }) {
    if (dismissed) yield* run(dismiss, { orgId, now })
    else yield* run(restore, { orgId })
    // Dashboards reload the checklist when a contact changes.
    yield* notifyWatchers({ orgId, kind: 'contact', id: null })
    return yield* readChecklist(orgId, installation.transports, now)
  },
})
