import { useQuery } from '@tanstack/preact-query'
import type { PublicSchemas } from '../../api/client.ts'
import { fetchAllPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { relativeTime, shortTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { detailOf } from './labels.tsx'

type Failure = PublicSchemas['FailingWebhookEndpoint']

/** The failing endpoints by id. */
export function useFailing(): ReadonlyMap<string, Failure> {
  const { api, key } = useOrganization()
  const failing = useQuery({
    queryKey: key('webhook_delivery', 'failing'),
    queryFn: () => fetchAllPages((query) => api.GET('/api/v1/webhook-endpoints/failing', { query })),
    // The event stream does not report delivery attempts.
    refetchInterval: 10_000,
  })
  return new Map(failing.data?.map((failure) => [failure.endpointId, failure]))
}

/** "Failing since 15 Nov, 14:02 CET: HTTP 500. Next try in 4 min" */
export function FailingSince({ failure }: { failure: Failure }) {
  const now = useNow()
  const { failingSince, nextAttemptAt } = failure
  const since = t('Failing since {failingSince}: {lastError}', {
    failingSince: shortTime(failingSince),
    lastError: detailOf(failure),
  })
  const next = nextAttemptAt === null ? t('No delivery is waiting') : nextTry(nextAttemptAt, now)
  return <span class="text-down-text">{t('{tried}. {next}', { tried: since, next })}</span>
}

/** "Retrying now" or "Next try in 4 min". */
export function nextTry(at: string, now: number): string {
  return Date.parse(at) <= now ? t('Retrying now') : t('Next try {time}', { time: relativeTime(at, now) })
}
