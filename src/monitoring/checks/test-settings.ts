import Type from 'typebox'
import type { MonitorOptions } from '../../contract/check-options.ts'
import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, networkOperation } from '../../contract/operation.ts'
import type { Sample } from '../../contract/probe.ts'
import { reasonField } from '../../contract/reason-fields.ts'
import { body, nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { enforceRateLimit } from '../../contract/services.ts'
import type { Sealer } from '../../lib/seal.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { constant, type DbWork } from '../../storage/query.ts'
import { MonitorOptionsInput } from '../monitor-options/definitions.ts'
import { mailFaults } from '../monitor-options/dialogue.ts'
import { fittingOptions, inOptions, keepAllSecrets, optionFaults } from '../monitor-options/fit.ts'
import { withoutMoved } from '../monitor-options/login.ts'
import { headerFaults, maskFaults, typeFaults } from '../monitor-settings/rules.ts'
import { CreateMonitor, type MonitorSettings } from '../monitor-settings/schema.ts'
import { openOptions, openSecrets } from '../monitor-settings/secrets.ts'
import { settingsIn } from '../monitor-settings/stored.ts'
import { definitions } from '../monitor-types/definitions.ts'
import { monitorOf } from '../monitors/queries.ts'
import { probeOptionsIn, targetOf } from './check-config.ts'
import { probeNow } from './probe-now.ts'

const TESTS_PER_MINUTE = 20

const Milliseconds = nullable(Type.Number())

const TryMonitor = body('TryMonitor', {
  ...CreateMonitor.properties,
  options: Type.Optional(MonitorOptionsInput),
  monitorId: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The monitor whose stored options are used without `options`, and whose secrets stand for masked ones; its login and what its dialogue sends only at the same address',
    }),
  ),
})

const TestResult = resource('TestResult', {
  outcome: oneOf(['SUCCESS', 'FAILURE', 'INCONCLUSIVE']),
  responseMs: Milliseconds,
  timings: Type.Object(
    { dnsMs: Milliseconds, connectMs: Milliseconds, tlsMs: Milliseconds, firstByteMs: Milliseconds },
    { description: 'Of the last request after redirects; null for a phase that did not happen' },
  ),
  statusCode: nullable(Type.Integer()),
  ip: nullable(Type.String()),
  certificateExpiresAt: nullable(Timestamp),
  records: nullable(Type.Array(Type.String()), { description: 'The records that a DNS monitor found' }),
  causeCode: nullable(Type.String()),
  error: nullable(Type.String(), { description: 'What is wrong' }),
  excerpt: nullable(Type.String()),
  degraded: nullable(Type.String(), {
    description: 'Why the monitor would be DEGRADED: the assertions of that severity that do not hold',
  }),
  assertions: nullable(
    Type.Array(
      Type.Object({
        holds: Type.Boolean({ description: 'Whether it is fulfilled' }),
        found: nullable(Type.String(), { description: 'The found values as a short text; null if there are none' }),
        error: nullable(Type.String(), { description: 'Why it does not hold' }),
      }),
    ),
    { description: 'The results of the assertions, in their order; null if there are none or they were not reached' },
  ),
  body: nullable(Type.String(), {
    description:
      'The first 65,536 characters of the response body, if `options.assertions` is given, which may be an empty list',
  }),
})

export const tryMonitor = networkOperation({
  id: 'tryMonitor',
  method: 'POST',
  path: '/monitors/try',
  access: 'write',
  extension: true,
  tag: 'Monitors',
  skipsAudit: true,
  summary: 'Test the settings of a monitor',
  description:
    'Runs one check of the monitor in the body, including repeats after failures, which takes at most `timeoutSeconds` and 15 ' +
    'seconds. For DOMAIN monitors the registration is looked up again, at most once a minute. Nothing is saved. At most 20 tests ' +
    'per minute and organization.',
  body: TryMonitor,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: (given) => [...typeFaults(given), ...headerFaults(given), ...maskFaults(given), ...optionFaults(given)],
  answer: { status: 200, schema: TestResult, description: 'The result' },
  errors: ['not_found'],
  *prepare({ caller: { orgId }, installation, now }, { body: { options, monitorId, ...settings } }) {
    const { type } = settings
    if (definitions[type].createProbe === null)
      throw invalid([{ path: 'type', message: 'has nothing to test: the job reports to the heartbeat URL' }])
    enforceRateLimit(installation, `tries ${orgId}`, TESTS_PER_MINUTE, now)
    const stored =
      monitorId === undefined ? {} : yield* storedOptions(orgId, monitorId, settings, options, installation.sealer)
    const refused = mailFaults(options ?? {}, settings.port, installation)
    if (refused.length > 0) throw invalid(refused.map((fault) => inOptions('dialogue', fault)))
    const used = options === undefined ? fittingOptions(stored, type) : withSecrets(options, stored)
    return { type, target: { ...targetOf(settings), ...probeOptionsIn(used), isTrial: true } }
  },
  run: ({ type, target }, { runProbe }, signal) => probeNow(runProbe, type, target, signal),
  save: (_visit, _input, sample) => constant(rendered(sample)),
})

/** Without the secrets that would reach another server than that of the monitor. */
function* storedOptions(
  orgId: string,
  id: string,
  { url = null, host = null, port = null, requestHeaders = null }: Partial<MonitorSettings>,
  given: MonitorOptions | undefined,
  sealer: Sealer,
): DbWork<MonitorOptions> {
  const monitor = yield* monitorOf(orgId, id)
  const owner = { orgId, id }
  const options = openOptions(monitor, owner, sealer)
  const before = { ...settingsIn(monitor), ...openSecrets(monitor.secrets, owner, sealer) }
  const { resolver, serverName } = (given ?? options).request ?? {}
  return withoutMoved(
    options,
    { ...before, resolver: options.request?.resolver, serverName: options.request?.serverName },
    { url, host, port, requestHeaders, resolver, serverName },
  )
}

function withSecrets(given: MonitorOptions, stored: MonitorOptions): MonitorOptions {
  const { options, faults } = keepAllSecrets(given, stored)
  if (faults.length > 0) throw invalid(faults)
  return options
}

type Failure = Extract<Sample, { outcome: 'failure' }>
type Details = 'responseMs' | 'timings' | 'statusCode' | 'ip' | 'certificate' | 'degraded' | 'assertions' | 'body'
type Observed = Partial<Pick<Failure, Details>>

function rendered(sample: Sample) {
  const observed: Observed = sample.outcome === 'inconclusive' ? {} : sample
  const { responseMs = null, timings = {}, statusCode = null, ip = null, certificate } = observed
  const { degraded = null, assertions, body: text = null } = observed
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null } = timings
  const failure = sample.outcome === 'failure' ? sample : undefined
  return {
    outcome: sample.outcome.toUpperCase() as 'SUCCESS' | 'FAILURE' | 'INCONCLUSIVE',
    responseMs,
    timings: { dnsMs, connectMs, tlsMs, firstByteMs },
    statusCode,
    ip,
    certificateExpiresAt: certificate === undefined ? null : isoTimestamp(certificate.expiresAt),
    records: sample.outcome === 'success' ? [...(sample.records ?? [])] : null,
    causeCode: failure?.code ?? null,
    ...reasonField('error', sample.outcome === 'inconclusive' ? sample.reason : (failure?.error ?? null)),
    excerpt: failure?.excerpt ?? null,
    ...reasonField('degraded', degraded),
    assertions:
      assertions?.map(({ holds, found, error = null }) => ({
        holds,
        ...reasonField('found', found),
        ...reasonField('error', error),
      })) ?? null,
    body: text,
  }
}
