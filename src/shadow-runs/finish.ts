import { enableWaitingContacts } from '../configuration/finish-import.ts'
import { endFirstMutes } from '../configuration/mute-at-first.ts'
import { operation } from '../contract/operation.ts'
import { execute, q } from '../storage/query.ts'
import { endedAt, runOf } from './runs.ts'
import { endOpenSpans } from './save-poll.ts'
import { FinishedShadowRun, FinishShadowRun, ofRun } from './schema.ts'
import { sourceOf } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

export const finishShadowRun = operation({
  ...ofRun,
  id: 'finishShadowRun',
  method: 'POST',
  path: '/shadow-runs/:shadowRunId/finish',
  access: 'write',
  summary: 'Finish a shadow run',
  description:
    'Ends the run, the mutes that imported monitors have since their import, and deletes the key of the other tool. What the run found ' +
    'is kept for 90 days. A run that has ended can be finished once more, to enable the contacts.',
  notifies: ['enableContacts'],
  bulk: true,
  body: FinishShadowRun,
  answer: { status: 200, schema: FinishedShadowRun, description: 'What was enabled' },
  *handle(context, { params, body: { enableContacts } }) {
    const { caller, now } = context
    const { orgId } = caller
    const run = yield* runOf(orgId, params.shadowRunId)
    const changed = { ...(run.ended_at === null && endedAt(now)), ...(enableContacts && { contacts_enabled_at: now }) }
    if (Object.keys(changed).length > 0) {
      yield* execute(q.updateTable('shadow_runs').set(changed).where('org_id', '=', orgId).where('id', '=', run.id))
    }
    if (run.ended_at === null) yield* endOpenSpans(orgId, run.id, now)
    const source = sourceOf(run.tool as Tool)
    const unmutedMonitors = yield* endFirstMutes(context, source)
    return { enabledContacts: enableContacts ? yield* enableWaitingContacts(context, source) : 0, unmutedMonitors }
  },
})
