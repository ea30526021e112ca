import Type from 'typebox'
import { invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { reasonField } from '../../contract/reason-fields.ts'
import { nullable, oneOf, page, pageQuery, resource, Timestamp, TimestampInput } from '../../contract/schema.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamp.ts'
import type { Reason } from '../../reasons/reason.ts'
import { resultStates } from '../monitor-states/result-log.ts'
import { keyOf } from '../monitors/queries.ts'
import { MonitorParams } from '../monitors/schema.ts'
import { findChecks, findRepairedChecks } from './find.ts'

/** Where the checker nodes run. There are no other locations yet. */
export const HOME_LOCATION = 'home'

const Check = resource('Check', {
  at: Timestamp,
  state: oneOf(resultStates, {
    description: 'INCONCLUSIVE: the check failed because of a problem of Pharos itself, so the state did not change',
  }),
  responseMs: nullable(Type.Integer()),
  location: nullable(Type.String(), {
    description: 'From where it was checked. `home` is where the checker nodes run; null for CRON monitors',
  }),
  error: nullable(Type.String(), { description: 'Why it failed, is inconclusive, or is DEGRADED by an assertion' }),
  causeCode: nullable(Type.String(), { description: 'The kind of failure, as in incidents' }),
  phases: Type.Optional(
    Type.Object(
      {
        dnsMs: Type.Optional(Type.Integer()),
        connectMs: Type.Optional(Type.Integer()),
        tlsMs: Type.Optional(Type.Integer()),
        firstByteMs: Type.Optional(Type.Integer()),
        downloadMs: Type.Optional(
          Type.Integer({ description: 'From the head of the response to the end of what is read of its body' }),
        ),
      },
      { description: 'How long each phase of the last try took. Kept of checks that are not UP or that were repeated' },
    ),
  ),
  tries: Type.Optional(
    Type.Array(Type.Object({ at: Timestamp, causeCode: Type.String(), error: Type.String() }), {
      description: 'The tries that failed, the first one first. Absent if the first one succeeded',
    }),
  ),
})

export const listChecks = operation({
  id: 'listChecks',
  method: 'GET',
  path: '/monitors/:monitorId/checks',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'List the checks of a monitor',
  description:
    'Stored check results, newest first, for as long as the plan keeps them (`rawResultsDays` of `GET /usage`). A check that is ' +
    'inconclusive is repeated after 10 seconds or less; one per interval is stored.',
  params: MonitorParams,
  query: Type.Object({
    ...pageQuery,
    from: Type.Optional(Type.With(TimestampInput, { description: 'Only checks at this time or later' })),
    to: Type.Optional(Type.With(TimestampInput, { description: 'Only checks before this time' })),
    state: Type.Optional(oneOf(resultStates, { description: 'Only checks with this result' })),
    repaired: Type.Optional(oneOf(['true'], { description: 'Only checks that were UP after a failed try' })),
  }),
  answer: { status: 200, schema: page('CheckPage', Check), description: 'A page of checks' },
  errors: ['not_found'],
  *handle({ caller }, { params, query: { limit, offset, from, to, state, repaired } }) {
    const range = {
      from: from === undefined ? 0 : parseTimestamp(from),
      to: to === undefined ? Number.MAX_SAFE_INTEGER : parseTimestamp(to),
    }
    if (range.from >= range.to) throw invalid([{ path: 'to', message: 'must be after from' }])
    const { num, type } = yield* keyOf(caller.orgId, params.monitorId)
    const { checks, total } = yield* (repaired === undefined ? findChecks : findRepairedChecks)(
      num,
      { ...range, state },
      { limit, offset },
    )
    const location = type === 'CRON' ? null : HOME_LOCATION
    return {
      data: checks.map(({ at, tries, error, ...check }) => ({
        at: isoTimestamp(at),
        location,
        ...check,
        ...errorField(error),
        ...(tries && { tries: tries.map((one) => ({ ...one, at: isoTimestamp(one.at), ...errorField(one.error) })) }),
      })),
      pagination: { limit, offset, total },
    }
  },
})

const MAX_ERROR_CHARACTERS = 500

function errorField<R extends Reason | string | null>(stored: R) {
  return reasonField('error', stored, MAX_ERROR_CHARACTERS)
}
