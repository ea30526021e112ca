import { useQuery } from '@tanstack/preact-query'
import { BellOff } from 'lucide-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { fetchAllPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { shortTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { useMonitorActions } from './actions.ts'

/** All mutes that have not ended. All screens share one request. */
export function useMutes(): readonly PublicSchemas['MutedMonitor'][] {
  const { api, key } = useOrganization()
  const now = useNow()
  const mutes = useQuery({
    queryKey: key('monitor', 'mutes'),
    queryFn: () => fetchAllPages((query) => api.GET('/api/v1/mutes', { query })),
    staleTime: 15_000,
  })
  return mutes.data?.filter(({ until }) => Date.parse(until) > now) ?? []
}

function useMute(monitorId: string): PublicSchemas['MutedMonitor'] | undefined {
  return useMutes().find((mute) => mute.monitorId === monitorId)
}

interface MutedTagProps {
  readonly monitorId: string
  /** The time as tooltip only, where there is little room. */
  readonly short?: boolean
  readonly class?: string
}

/** "Muted until 15 Nov, 14:02 CET" beside the state of a monitor. */
export function MutedTag({ monitorId, short = false, class: look = 'text-xs' }: MutedTagProps) {
  const mute = useMute(monitorId)
  if (mute === undefined) return null
  const until = t('Muted until {until}', { until: shortTime(mute.until) })
  return (
    <span
      class={`inline-flex items-center gap-1 text-muted ${short ? 'shrink-0 whitespace-nowrap' : ''} ${look}`}
      title={until}
    >
      <BellOff class="size-[1em] shrink-0" />
      {short ? t('Muted') : until}
    </span>
  )
}

/** Shown while the alerts of the monitor are muted. */
export function MutedNotice({ monitorId }: { monitorId: string }) {
  const { may } = useOrganization()
  const { unmute } = useMonitorActions()
  const doing = useRunningAction()
  const mute = useMute(monitorId)
  if (mute === undefined) return null
  const { until, mutedBy, name } = mute
  return (
    <InfoNotice class="mb-4">
      <span class="flex flex-wrap items-center gap-x-3 gap-y-1">
        <BellOff />
        <span class="min-w-0 grow basis-60">
          {t('{name} muted the alerts until {until}. What is still open then is announced.', {
            name: mutedBy.name,
            until: shortTime(until),
          })}
        </span>
        {may('MEMBER') && (
          <Button
            busy={doing.busy !== null}
            onClick={() => void doing.run('unmute', () => unmute([{ id: monitorId, name }]))}
          >
            {t('Unmute')}
          </Button>
        )}
      </span>
    </InfoNotice>
  )
}
