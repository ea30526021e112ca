import { setImmediate } from 'node:timers/promises'
import type { Static } from 'typebox'
import Type from 'typebox'
import { streamedOperation } from '../contract/operation.ts'
import type { FailureCode } from '../contract/probe.ts'
import { reasonField, reasonsField, toJson } from '../contract/reason-fields.ts'
import { pageQuery } from '../contract/schema.ts'
import { isoTimestamp } from '../lib/timestamp.ts'
import { findRepairedChecks } from '../monitoring/check-results/find.ts'
import { evidenceOfIncident } from '../monitoring/evidence/store.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import { timeOrNull } from './render.ts'
import { type MonitorDisagreement, reportOf } from './report.ts'
import { runOf } from './runs.ts'
import { ofRun, type ShadowDisagreement, ShadowDisagreementPage } from './schema.ts'
import { POLL_MS } from './verdicts.ts'

export const listShadowDisagreements = streamedOperation({
  ...ofRun,
  id: 'listShadowDisagreements',
  method: 'GET',
  path: '/shadow-runs/:shadowRunId/disagreements',
  access: 'read',
  summary: 'List the disagreements of a shadow run',
  description:
    'Newest first. The two may notice a change at different times: differences within the intervals, the repeats of a failed ' +
    'check and the 30 seconds between two polls are agreements.',
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: ShadowDisagreementPage, description: 'A page of disagreements' },
  async parts({ caller, installation, now }, { params, query: { limit, offset } }, read) {
    const { orgId } = caller
    const run = await read(runOf(orgId, params.shadowRunId))
    const { disagreements } = await reportOf(read, run, installation.confirmDelaysSeconds, now)
    const data: Static<typeof ShadowDisagreement>[] = []
    for (const one of disagreements.slice(offset, offset + limit)) {
      data.push({ ...rendered(one), ...(await read(evidenceFor(orgId, one, now))) })
      // Evidence has kilobytes.
      await setImmediate()
    }
    return [toJson({ data, pagination: { limit, offset, total: disagreements.length } }, caller)]
  },
})

function rendered({ monitor, reason, theirs, ours, fromAt, untilAt, incidentId }: MonitorDisagreement) {
  return {
    monitor: monitor && { id: monitor.id, name: monitor.name },
    reason,
    theirs,
    ours,
    startedAt: isoTimestamp(fromAt),
    endedAt: timeOrNull(untilAt),
    incidentId,
  }
}

type Evidence = Pick<Static<typeof ShadowDisagreement>, 'cause' | 'causeCode' | 'summary'>

/** What Pharos saw: its incident, or a try that failed before the check succeeded. */
function* evidenceFor(orgId: string, one: MonitorDisagreement, now: number): DbWork<Evidence> {
  const { monitor, incidentId, fromAt, untilAt } = one
  if (incidentId !== null) {
    const incidents = q.selectFrom('incidents').select(['cause', 'cause_code']).where('org_id', '=', orgId)
    const [incident] = yield* execute(incidents.where('id', '=', incidentId))
    const evidence = yield* evidenceOfIncident(orgId, incidentId)
    const causeCode = (incident?.cause_code ?? null) as FailureCode | null
    return {
      ...reasonField('cause', incident?.cause ?? null),
      causeCode,
      ...reasonsField('summary', evidence?.summary ?? []),
    }
  }
  if (monitor === null) return { cause: null, causeCode: null, summary: [] }
  const during = { from: fromAt - 2 * POLL_MS, to: (untilAt ?? now) + 1, state: undefined }
  const { checks } = yield* findRepairedChecks(monitor.num, during, { limit: 1, offset: 0 })
  const failed = checks[0]?.tries?.[0]
  return {
    ...reasonField('cause', failed?.error ?? null),
    causeCode: (failed?.causeCode ?? null) as FailureCode | null,
    summary: [],
  }
}
