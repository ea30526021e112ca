import { useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayOf, duration, milliseconds, shortTime } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { StateLabel } from '../../ui/state.tsx'

export function Slowest({ slowest }: { slowest: PublicSchemas['Overview']['slowest'] }) {
  const most = Math.max(1, ...slowest.map(({ p95Ms }) => p95Ms))
  return (
    <Section title={t('Slowest')} lead={t('p95 response time, last 24 h')}>
      {slowest.length === 0 ? (
        <p class="card px-4 py-4 text-muted">{t('No data yet.')}</p>
      ) : (
        <ol class="card divide-y divide-line">
          {slowest.map(({ id, name, p95Ms }) => (
            <li key={id} class="relative grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 px-4 py-2">
              <Link href={`/monitors/${id}`} class="truncate after:absolute after:inset-0 hover:underline" title={name}>
                {name}
              </Link>
              <span>{milliseconds(p95Ms)}</span>
              <div class="col-span-2 mt-1 h-1.5 rounded bg-line" aria-hidden="true">
                <div class="h-1.5 rounded bg-accent" style={{ inlineSize: `${(p95Ms / most) * 100}%` }} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

export function Expiring({ expiring }: { expiring: PublicSchemas['Overview']['expiring'] }) {
  const now = useNow(60_000)
  return (
    <Section title={t('Expiring within 30 days')}>
      {expiring.length === 0 ? (
        <p class="card px-4 py-4 text-muted">{t('Nothing expiring.')}</p>
      ) : (
        <ul class="card divide-y divide-line">
          {expiring.map(({ id, name, kind, expiresAt }) => {
            const seconds = (new Date(expiresAt).getTime() - now) / 1000
            return (
              <li key={`${id} ${kind}`} class="relative flex flex-wrap items-baseline gap-x-3 px-4 py-2">
                <Link
                  href={`/monitors/${id}`}
                  class="min-w-0 grow truncate after:absolute after:inset-0 hover:underline"
                  title={name}
                >
                  {name}
                </Link>
                <span class="text-muted">{kind === 'DOMAIN' ? t('Domain') : t('Certificate')}</span>
                <span class={seconds < 7 * 86_400 ? 'font-semibold text-degraded-text' : ''} title={dayOf(expiresAt)}>
                  {seconds > 0 ? t('in {seconds}', { seconds: duration(seconds) }) : t('expired')}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </Section>
  )
}

const SHOWN = 3

/** Running and upcoming maintenance. */
export function NextMaintenance() {
  const { api, key } = useOrganization()
  const windows = useQuery({
    queryKey: key('maintenance', 'next'),
    queryFn: async () => {
      const [now, coming] = await Promise.all(
        (['IN_PROGRESS', 'SCHEDULED'] as const).map((status) =>
          api.GET('/api/v1/maintenance-windows', { query: { status, limit: 100 } }),
        ),
      )
      return [...(now?.data ?? []), ...(coming?.data ?? []).toSorted((a, b) => startOf(a) - startOf(b))].slice(0, SHOWN)
    },
  })
  return (
    <Section title={t('Maintenance')}>
      <QueryResult query={windows} lines={2}>
        {(data) =>
          data.length === 0 ? (
            <p class="card px-4 py-4 text-muted">{t('Nothing scheduled.')}</p>
          ) : (
            <ul class="card divide-y divide-line">
              {data.map((window) => (
                <li key={window.id} class="relative flex flex-wrap items-baseline gap-x-3 px-4 py-2">
                  <Link
                    href={`/maintenance/${window.id}`}
                    class="min-w-0 grow truncate after:absolute after:inset-0 hover:underline"
                  >
                    {window.name}
                  </Link>
                  {window.currentOccurrence === null ? (
                    <span class="text-muted">
                      {shortTime(window.nextOccurrence?.startsAt ?? window.startsAt)}, {lengthOf(window)}
                    </span>
                  ) : (
                    <>
                      <StateLabel state="MAINTENANCE" />
                      <span class="text-muted">
                        {tx('until {endsAt}', { endsAt: shortTime(window.currentOccurrence.endsAt) })}
                      </span>
                    </>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Section>
  )
}

function startOf({ nextOccurrence, startsAt }: PublicSchemas['MaintenanceWindow']): number {
  return new Date(nextOccurrence?.startsAt ?? startsAt).getTime()
}

function lengthOf({ startsAt, endsAt }: PublicSchemas['MaintenanceWindow']): string {
  return duration((new Date(endsAt).getTime() - new Date(startsAt).getTime()) / 1000)
}
