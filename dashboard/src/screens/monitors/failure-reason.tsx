import type { AppSchemas, PublicSchemas } from '../../api/client.ts'
import { dayOf, duration, interval, milliseconds, shortTime } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { StateLabel } from '../../ui/state.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { FailureFacts, failureParts } from './failure-facts.tsx'

/** What a success of each type is called. */
const succeeded: Readonly<Partial<Record<PublicSchemas['Monitor']['type'], string>>> = {
  PING: 'Replied',
  PORT: 'Connected',
  DNS: 'Resolved',
}

interface WhyProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly latest: AppSchemas['Result'] | undefined
  readonly openIncident: PublicSchemas['Incident'] | undefined
  /** Of a CRON monitor: the last signal of its job. */
  readonly lastHeartbeatAt: string | null
}

/** State of the monitor, its start and its cause. */
export function FailureReason({ monitor, latest, openIncident, lastHeartbeatAt }: WhyProps) {
  const now = useNow(1000)
  const { state, lastStatusChangedAt: since, lastCheckedAt, type, intervalSeconds } = monitor
  const held = since === null ? null : (now - new Date(since).getTime()) / 1000
  return (
    <section aria-label="Status" class="card mb-8 flex flex-wrap items-start gap-x-8 gap-y-3 p-4 sm:p-5">
      <div class="min-w-0 grow basis-72" aria-live="polite">
        <p class="flex flex-wrap items-baseline gap-x-3">
          <StateLabel state={state} large />
          {held !== null && since !== null && (
            <span class="text-muted" title={shortTime(since)}>
              for {duration(held)}, since {shortTime(since)}
            </span>
          )}
        </p>
        <p class="mt-1 text-base break-words">{reason(monitor, latest, openIncident?.cause ?? null)}</p>
      </div>
      <p class="text-muted">
        {type === 'CRON' ? 'Last heartbeat' : 'Last checked'}{' '}
        <RelativeTime at={type === 'CRON' ? lastHeartbeatAt : lastCheckedAt} />
        <br />
        {state === 'PAUSED' ? 'Not checked while paused' : paceOf(type, intervalSeconds, monitor)}
      </p>
      {state === 'DOWN' && openIncident !== undefined && (
        <div class="basis-full">
          <FailureFacts monitor={monitor} incidentId={openIncident.id} />
        </div>
      )}
    </section>
  )
}

function paceOf(type: string, intervalSeconds: number, monitor: PublicSchemas['Monitor']): string {
  if (type !== 'CRON') return `Checked every ${interval(intervalSeconds)}`
  const period = interval(monitor.expectedPeriodSec ?? intervalSeconds)
  return `Every ${period}, ${duration(monitor.graceSeconds)} grace`
}

function reason(
  monitor: PublicSchemas['Monitor'],
  latest: AppSchemas['Result'] | undefined,
  cause: string | null,
): string {
  switch (monitor.state) {
    case 'DOWN':
      return failureParts(latest?.error ?? cause ?? 'The last check failed.').received
    case 'DEGRADED':
      return slowness(monitor)
    case 'PAUSED':
      return 'Checks and alerts are paused. Paused time doesn’t count towards uptime.'
    case 'PENDING':
      return monitor.type === 'CRON' ? 'Waiting for the first heartbeat.' : 'First check in progress.'
    case 'UP':
      return standing(monitor)
  }
}

function slowness(monitor: PublicSchemas['Monitor']): string {
  const { type, certExpiresAt, degradedThresholdMs, degradedThresholdMode, degradedSamples } = monitor
  if (certExpiresAt !== null && (type === 'SSL' || type === 'DOMAIN')) {
    return `${type === 'SSL' ? 'The certificate' : 'The domain'} expires on ${dayOf(certExpiresAt)}.`
  }
  if (degradedThresholdMs === null) return 'The target responds, but with problems.'
  const threshold = milliseconds(degradedThresholdMs)
  if (degradedThresholdMode === 'P95') {
    return `p95 of the last ${degradedSamples} checks is above ${threshold}.`
  }
  return degradedSamples === 1
    ? `The last check took longer than ${threshold}.`
    : `Each of the last ${degradedSamples} checks took longer than ${threshold}.`
}

function standing({ type, lastResponseMs, certExpiresAt }: PublicSchemas['Monitor']): string {
  if (type === 'CRON') {
    return lastResponseMs === null ? 'On schedule.' : `On schedule; last run took ${milliseconds(lastResponseMs)}.`
  }
  if (type === 'DOMAIN' && certExpiresAt === null) return 'Registered.'
  if (type === 'DOMAIN' && certExpiresAt !== null) return `Registered until ${dayOf(certExpiresAt)}.`
  if (type === 'SSL' && certExpiresAt !== null) return `The certificate is valid until ${dayOf(certExpiresAt)}.`
  if (lastResponseMs === null) return 'The last check succeeded.'
  return `${succeeded[type] ?? 'Responded'} in ${milliseconds(lastResponseMs)}.`
}
