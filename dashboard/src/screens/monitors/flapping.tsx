import { useQuery } from '@tanstack/preact-query'
import { Activity } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { type Flapping, flappingAt, flappingSince } from '../../lib/flapping.ts'
import { duration } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { InfoNotice } from '../../ui/notice.tsx'

const MOST = 100

/** Whether a monitor goes down again and again. All rows share one request, which is made if one of them has changed lately. */
function useFlapping(monitorId: string, changedAt: string | null): Flapping | undefined {
  const { api, key } = useOrganization()
  const now = useNow(60_000)
  const { data } = useQuery({
    queryKey: key('incident', 'flapping'),
    enabled: changedAt !== null && changedAt >= flappingSince(now),
    queryFn: () => api.GET('/api/v1/incidents', { query: { startedAfter: flappingSince(Date.now()), limit: MOST } }),
  })
  return flappingAt(now, data?.data ?? []).get(monitorId)
}

function textOf({ outages, since }: Flapping, now: number): string {
  return t('Down {times} in {duration}', {
    times: plural(outages, 'time'),
    duration: duration((now - Date.parse(since)) / 1000),
  })
}

interface FlappingProps {
  readonly monitorId: string
  /** When its state changed last. */
  readonly changedAt: string | null
}

/** Beside the state of a monitor. */
export function FlappingTag({ monitorId, changedAt }: FlappingProps) {
  const flapping = useFlapping(monitorId, changedAt)
  const now = useNow()
  if (flapping === undefined) return null
  return (
    <span
      class="inline-flex shrink-0 items-center gap-1 text-xs whitespace-nowrap text-degraded-text"
      title={textOf(flapping, now)}
    >
      <Activity class="size-[1em] shrink-0" />
      {t('Flapping')}
    </span>
  )
}

/** Says what can be done about it. */
export function FlappingNotice({ monitorId, changedAt }: FlappingProps) {
  const { may } = useOrganization()
  const flapping = useFlapping(monitorId, changedAt)
  const now = useNow()
  if (flapping === undefined) return null
  return (
    <InfoNotice class="mb-4">
      <strong class="font-semibold text-degraded-text">{t('Flapping')}</strong>
      {': '}
      {textOf(flapping, now)}. {t('Alerts are limited until it stops.')}{' '}
      {may('MEMBER') && (
        <Link href={`/monitors/${monitorId}/edit`} class="link">
          {t('Require more successes until recovered')}
        </Link>
      )}
    </InfoNotice>
  )
}
