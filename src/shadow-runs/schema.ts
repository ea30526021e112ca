import Type from 'typebox'
import { failureCodes } from '../contract/probe.ts'
import { body, defaulted, nullable, oneOf, page, resource, Timestamp } from '../contract/schema.ts'
import { reasons } from './compare.ts'
import { ourStates, theirStates, tools } from './verdicts.ts'

const MAX_DAYS = 90

const ShadowRunParams = Type.Object({ shadowRunId: Type.String({ minLength: 1, description: 'The id of the run' }) })

const common = { tag: 'Configuration', extension: true } as const
export const collection = { ...common, path: '/shadow-runs' } as const
export const ofRun = {
  ...common,
  path: '/shadow-runs/:shadowRunId',
  params: ShadowRunParams,
  errors: ['not_found'],
} as const

const Unmatched = (description: string) =>
  Type.Object(
    {
      total: Type.Integer({ description: 'How many there are' }),
      names: Type.Array(Type.String(), { description: 'At most 100 names' }),
    },
    { description },
  )

export const ShadowRun = resource('ShadowRun', {
  id: Type.String({ minLength: 1 }),
  tool: oneOf(tools, { description: 'The tool that the monitors were imported from' }),
  url: Type.String({ description: 'The address that is asked for its verdicts' }),
  startedAt: Timestamp,
  endsAt: Type.With(Timestamp, { description: 'When it ends by itself' }),
  endedAt: nullable(Timestamp, { description: 'null while it runs' }),
  contactsEnabledAt: nullable(Timestamp, { description: 'When it was finished with `enableContacts`' }),
  lastPollAt: nullable(Timestamp, { description: 'When the other tool was last asked' }),
  lastError: nullable(Type.String(), {
    description: 'Why the last request failed, or why Pharos ended the run; null if it was answered',
  }),
  matched: Type.Integer({ description: 'Monitors that both have' }),
  unmatchedThere: Unmatched('Monitors of the other tool that were not imported, or were not found again'),
  unmatchedHere: Unmatched('Imported monitors that the other tool does not list. Paused ones are left out'),
  agreement: nullable(Type.Number({ minimum: 0, maximum: 100 }), {
    description: 'In which part of the compared time both gave the same verdict, in percent; null before the first one',
  }),
  counts: Type.Record(Type.String(), Type.Integer(), { description: 'The disagreements by reason' }),
})

export const ShadowRunList = resource('ShadowRunList', { data: Type.Array(ShadowRun) })

export const CreateShadowRun = body('CreateShadowRun', {
  tool: oneOf(tools, { description: 'The tool that the monitors were imported from' }),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'KUMA: the address of its metrics page. GATUS: the address of its status page. UPTIMEROBOT: not needed. Redirects are not followed',
    }),
  ),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        'KUMA: an API key, or `user:password`. GATUS: `user:password` if it asks for them. UPTIMEROBOT: an API key, best a ' +
        'read-only one. Stored encrypted, never shown, and deleted when the run ends',
    }),
  ),
  days: defaulted(Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'When it ends by itself' }), 7),
})

export const FinishShadowRun = body('FinishShadowRun', {
  enableContacts: Type.Boolean({
    description: 'Also enables the imported contacts, as `POST /configuration/finish-import` does',
  }),
})

export const FinishedShadowRun = resource('FinishedShadowRun', {
  enabledContacts: Type.Integer({ description: 'Contacts that were enabled' }),
  unmutedMonitors: Type.Integer({ description: 'Monitors whose first mute was ended' }),
})

const explanation =
  'ONE_FAILED_TRY: it was down there for less than the tolerance, and our checks did not confirm it. ONLY_THERE: an outage that only ' +
  'the other tool saw. ONLY_HERE: one that only Pharos saw. SHORT_HERE: one that Pharos confirmed while the other tool was still ' +
  'repeating its check. CERTIFICATE, ASSERTION: only Pharos saw it, because of a certificate or of an assertion or keyword. LATER_HERE, ' +
  'EARLIER_HERE: Pharos followed later or earlier than the tolerance. HEARTBEAT: the job reports to one of them only. IN_DOUBT: ' +
  'the checks of Pharos were inconclusive. MAINTENANCE_THERE, MAINTENANCE_HERE, PAUSED_THERE, PAUSED_HERE: it is so in one of them only. NOT_RUNNING: ' +
  'the other tool did not answer. ALL_DOWN_THERE: the other tool reported all of its monitors as down at once.'

export const ShadowDisagreement = resource('ShadowDisagreement', {
  monitor: nullable(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'null if it is about the other tool itself',
  }),
  reason: oneOf(reasons, { description: explanation }),
  theirs: oneOf(theirStates, { description: 'What the other tool said' }),
  ours: oneOf(ourStates, { description: 'What Pharos said. UNKNOWN: its checks were inconclusive' }),
  startedAt: Timestamp,
  endedAt: nullable(Timestamp, { description: 'null if it still is so' }),
  incidentId: nullable(Type.String(), { description: 'The incident of Pharos at that time' }),
  cause: nullable(Type.String(), {
    description:
      'What Pharos saw: the cause of the incident, or the error of a try that failed before the check succeeded',
  }),
  causeCode: nullable(oneOf(failureCodes), { description: 'The kind of failure, as in incidents' }),
  summary: Type.Array(Type.String(), { description: 'What changed before the incident, as in its evidence' }),
})

export const ShadowDisagreementPage = page('ShadowDisagreementPage', ShadowDisagreement)
