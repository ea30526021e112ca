import { Link } from 'wouter-preact'
import type { Reason } from '../../../../src/reasons/reason.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { dayOf, duration, exactTime, interval, milliseconds, shortTime } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { orList, reasonOf, rendered, sentenceOf } from '../../lib/reasons.ts'
import { useNow } from '../../lib/use-now.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { AcknowledgedBy } from './acknowledge.tsx'
import { Fact, Facts } from './facts.tsx'
import { targetText, typeForms } from './types.ts'

interface FailureReasonProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly openIncident: PublicSchemas['Incident'] | undefined
  /** Of a CRON monitor: the last signal of its job, and when the next one is expected. */
  readonly schedule: PublicSchemas['HeartbeatSchedule'] | null | undefined
}

/** State of the monitor, its start and its cause. */
export function FailureReason({ monitor, openIncident, schedule }: FailureReasonProps) {
  const now = useNow(1000)
  const { id, state, lastStatusChangedAt: since, lastCheckedAt, type, intervalSeconds } = monitor
  const latest = useLatest(id, state === 'DEGRADED' ? 'DEGRADED' : 'DOWN', state === 'DOWN' || state === 'DEGRADED')
  const inconclusive = useLatest(id, 'INCONCLUSIVE', type !== 'CRON' && state !== 'PAUSED')
  // No other check came after it.
  const isInconclusive = inconclusive !== undefined && (lastCheckedAt === null || inconclusive.at > lastCheckedAt)
  const lastAt = type === 'CRON' ? (schedule?.lastHeartbeatAt ?? null) : lastCheckedAt
  const held = since === null ? null : (now - new Date(since).getTime()) / 1000
  return (
    <section aria-label={t('Status')} class="card mb-8 flex flex-wrap items-start gap-x-8 gap-y-3 p-4 sm:p-5">
      <div class="min-w-0 grow basis-72" aria-live="polite">
        <p class="flex flex-wrap items-baseline gap-x-3">
          <StateLabel state={state} large />
          {held !== null && since !== null && (
            <span class="text-muted" title={shortTime(since)}>
              {tx('for {held}, since {since}', { held: duration(held), since: shortTime(since) })}
            </span>
          )}
        </p>
        <p class="mt-1 text-base break-words">{reason(monitor, latest, openIncident)}</p>
        {isInconclusive && <InconclusiveNote check={inconclusive} />}
      </div>
      <p class="text-muted">
        {lastAt === null ? (
          type === 'CRON' ? (
            t('No heartbeat yet')
          ) : (
            t('Not checked yet')
          )
        ) : (
          <>
            {type === 'CRON' ? t('Last heartbeat') : t('Last checked')} <RelativeTime at={lastAt} />
          </>
        )}
        <br />
        {state === 'PAUSED' ? t('Not checked while paused') : paceOf(type, intervalSeconds, monitor, schedule)}
      </p>
      {state === 'DOWN' && openIncident !== undefined && (
        <div class="basis-full">
          <FailureFacts monitor={monitor} incidentId={openIncident.id} />
          <p class="mt-3 flex flex-wrap items-center gap-x-4 gap-y-1">
            <Link href={`/incidents/${openIncident.id}`} class="link">
              {t('View incident')}
            </Link>
            <AcknowledgedBy incident={openIncident} />
          </p>
        </div>
      )}
    </section>
  )
}

/** The problem is one of Pharos, so the state stays. */
function InconclusiveNote({ check }: { check: PublicSchemas['Check'] }) {
  return (
    <p class="mt-1 wrap-anywhere text-muted">
      {tx('Last check inconclusive {time}: {reason}', {
        time: <RelativeTime at={check.at} />,
        reason: sentenceOf(check, 'error') ?? '',
      })}
    </p>
  )
}

function paceOf(
  type: string,
  intervalSeconds: number,
  monitor: PublicSchemas['Monitor'],
  schedule: FailureReasonProps['schedule'],
): string {
  if (type !== 'CRON') return t('Checked every {intervalSeconds}', { intervalSeconds: interval(intervalSeconds) })
  const graceSeconds = duration(monitor.graceSeconds)
  const { cron, timezone } = schedule ?? {}
  if (cron && timezone) return t('{cron} ({timezone}), {graceSeconds} grace', { cron, timezone, graceSeconds })
  const period = interval(monitor.expectedPeriodSec ?? intervalSeconds)
  return t('Every {period}, {graceSeconds} grace', { period, graceSeconds })
}

function reason(
  monitor: PublicSchemas['Monitor'],
  latest: PublicSchemas['Check'] | undefined,
  incident: PublicSchemas['Incident'] | undefined,
): string {
  switch (monitor.state) {
    case 'DOWN':
      return receivedIn(latest, incident) ?? t('The last check failed.')
    case 'DEGRADED':
      return (latest && sentenceOf(latest, 'error')) ?? degradedText(monitor)
    case 'PAUSED':
      return t('Checks and alerts are paused. Paused time doesn’t count towards uptime.')
    case 'PENDING':
      return monitor.type === 'CRON' ? t('Waiting for the first heartbeat.') : t('First check in progress.')
    case 'UP':
      return successText(monitor)
  }
}

function degradedText(monitor: PublicSchemas['Monitor']): string {
  const { type, certExpiresAt, degradedThresholdMs, degradedThresholdMode, degradedSamples } = monitor
  const { expires } = typeForms[type]
  if (certExpiresAt !== null && expires !== undefined) {
    return t('{value} expires on {certExpiresAt}.', { value: expires, certExpiresAt: dayOf(certExpiresAt) })
  }
  if (degradedThresholdMs === null) return t('The target responds, but with problems.')
  const threshold = milliseconds(degradedThresholdMs)
  if (degradedThresholdMode === 'P95') {
    return t('p95 of the last {degradedSamples} checks is above {threshold}.', { degradedSamples, threshold })
  }
  return degradedSamples === 1
    ? t('The last check took longer than {threshold}.', { threshold })
    : t('Each of the last {degradedSamples} checks took longer than {threshold}.', { degradedSamples, threshold })
}

function successText({ type, lastResponseMs, certExpiresAt }: PublicSchemas['Monitor']): string {
  if (type === 'CRON') {
    return lastResponseMs === null
      ? t('On schedule.')
      : t('On schedule; last run took {lastResponseMs}.', { lastResponseMs: milliseconds(lastResponseMs) })
  }
  if (type === 'DOMAIN' && certExpiresAt === null) return t('Registered.')
  if (type === 'DOMAIN' && certExpiresAt !== null)
    return t('Registered until {certExpiresAt}.', { certExpiresAt: dayOf(certExpiresAt) })
  if (type === 'SSL' && certExpiresAt !== null)
    return t('The certificate is valid until {certExpiresAt}.', { certExpiresAt: dayOf(certExpiresAt) })
  if (lastResponseMs === null) return t('The last check succeeded.')
  return t('{value} in {lastResponseMs}.', {
    value: typeForms[type].success ?? t('Responded'),
    lastResponseMs: milliseconds(lastResponseMs),
  })
}

/** What a failed check received; what was expected is a fact below. */
function receivedIn(check: Check | undefined, incident: PublicSchemas['Incident'] | undefined): string | null {
  const failure = check && reasonOf(check, 'error')
  if (failure !== undefined) return rendered(withoutExpected(failure), check?.error ?? '')
  return (check && sentenceOf(check, 'error')) ?? (incident && sentenceOf(incident, 'cause')) ?? null
}

/** "HTTP 503 Service Unavailable" of "HTTP 503 Service Unavailable (expected 2xx or 3xx)". */
function withoutExpected(failure: Reason): Reason {
  const { code, values } = failure
  const { status = 0, name = '', cause } = values
  if (code === 'http_status') return { code: 'http_answer', values: { status } }
  if (code === 'http_status_named') return { code: 'http_answer_named', values: { status, name } }
  return code === 'stripped' ? { code, values: { cause: withoutExpected(cause as Reason) } } : failure
}

/** "2xx or 3xx", if a status was received that was not expected. */
function expectedIn({ code, values }: Reason): string | null {
  if (code === 'stripped') return expectedIn(values.cause as Reason)
  return code === 'http_status' || code === 'http_status_named' ? orList(values.expected as readonly string[]) : null
}

interface FailureFactsProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly incidentId: string
}

/** What the last failed check of an open incident got. */
function FailureFacts({ monitor, incidentId }: FailureFactsProps) {
  // About the monitor: each check can add a failure, and is announced as a change of the monitor.
  const { data } = useGet(['monitor', monitor.id], '/api/v1/incidents/{incidentId}', { path: { incidentId } })
  if (data === undefined || monitor.type === 'CRON') return null
  const { at, statusCode, responseMs, ip, excerpt } = data.lastFailure
  const failure = reasonOf(data.lastFailure, 'error')
  const expected = failure === undefined ? null : expectedIn(failure)
  const target = targetText(monitor)
  return (
    <div class="mt-3 border-t border-line">
      <Facts>
        {expected !== null && <Fact name={t('Expected')}>{expected}</Fact>}
        {expected === null && statusCode !== null && (
          <Fact name={t('Response')}>{tx('HTTP {statusCode}', { statusCode })}</Fact>
        )}
        {target !== null && <Fact name={t('Address')}>{ip === null ? target : `${target} (${ip})`}</Fact>}
        <Fact name={t('Checked')}>{exactTime(at)}</Fact>
        {statusCode !== null && responseMs !== null && (
          <Fact name={t('Response time')}>{milliseconds(responseMs)}</Fact>
        )}
      </Facts>
      {excerpt !== null && excerpt !== '' && (
        <details class="mt-1">
          <summary class="touch cursor-pointer">{t('Response body')}</summary>
          <CodeBlock text={excerpt} label={t('Response body')} wrap />
        </details>
      )}
    </div>
  )
}

type Check = PublicSchemas['Check']

/** The last check with this result. */
function useLatest(monitorId: string, state: Check['state'], enabled: boolean): Check | undefined {
  const query = { state, limit: 1 }
  const found = useGet(['monitor', monitorId], '/api/v1/monitors/{monitorId}/checks', {
    path: { monitorId },
    query,
    enabled,
  })
  return enabled ? found.data?.data[0] : undefined
}
