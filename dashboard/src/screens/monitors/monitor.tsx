import { useQuery } from '@tanstack/preact-query'
import { Pause, Pencil, Play, RefreshCw, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { type Api, answer } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Coming } from '../../ui/coming.tsx'
import { ErrorNote } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import { type Doing, pauseVerb, useDoing, useMonitorVerbs } from './actions.ts'
import { CheckLog } from './check-log.tsx'
import { DeleteMonitor } from './delete-monitor.tsx'
import { Heartbeats } from './heartbeats.tsx'
import { Expiry, IncidentsOf, InMaintenance, TimingBreakdown, Told } from './monitor-side.tsx'
import { ResponseTimes } from './response-times.tsx'
import { targetText, typeLabel } from './types.ts'
import { UptimeFigures } from './uptime-figures.tsx'
import { Why } from './why.tsx'

const back = { href: '/monitors', label: 'Monitors' }

export default function Monitor({ id }: { id: string }) {
  const { api, key } = useOrganization()
  const monitor = useQuery({
    queryKey: key('monitor', id),
    queryFn: () => answer(api.GET('/api/v1/monitors/{monitorId}', { params: { path: { monitorId: id } } })),
  })
  if (monitor.data !== undefined) return <Watched monitor={monitor.data} />
  return <Coming query={monitor} title="Monitor" back={back} />
}

function Watched({ monitor }: { monitor: Api['Monitor'] }) {
  const { api, app, key } = useOrganization()
  const { id, name, type } = monitor
  const doing = useDoing()
  const results = useQuery({
    queryKey: key('monitor', id, 'results'),
    queryFn: () => answer(app.GET('/app/api/monitors/{monitorId}/results', { params: { path: { monitorId: id } } })),
  })
  const incidents = useQuery({
    queryKey: key('incident', 'of', id),
    queryFn: () => answer(api.GET('/api/v1/incidents', { params: { query: { monitorId: id, limit: 100 } } })),
  })
  const listed = incidents.data?.data ?? none
  const open = listed.find(({ resolvedAt }) => resolvedAt === null)
  const target = targetText(monitor)
  return (
    <Page
      title={name}
      back={back}
      lead={
        <>
          {typeLabel(type)}
          {target !== null && <> · {target}</>}
        </>
      }
      actions={<Actions monitor={monitor} doing={doing} />}
    >
      {doing.problem !== undefined && (
        <div class="mb-4">
          <ErrorNote problem={doing.problem} />
        </div>
      )}
      <InMaintenance id={id} />
      <Why monitor={monitor} latest={results.data?.data[0]} cause={open?.cause ?? null} />
      <div class="grid grid-cols-1 gap-x-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div>
          {type === 'CRON' && <Heartbeats monitor={monitor} />}
          <ResponseTimes monitor={monitor} incidents={listed} />
          <CheckLog results={results} />
        </div>
        <div>
          <UptimeFigures id={id} />
          <Expiry monitor={monitor} />
          <IncidentsOf id={id} incidents={incidents.data} />
          <TimingBreakdown monitor={monitor} />
          <Told id={id} />
        </div>
      </div>
    </Page>
  )
}

const none: readonly Api['Incident'][] = []

function Actions({ monitor, doing }: { monitor: Api['Monitor']; doing: Doing }) {
  const { may, refresh } = useOrganization()
  const verbs = useMonitorVerbs()
  const [isAsking, setAsking] = useState(false)
  const { id, name, state } = monitor
  const isPaused = state === 'PAUSED'
  const mayChange = may('MEMBER')
  const act = (verb: 'pause' | 'resume' | 'check', told: string) => {
    if (!mayChange) return
    void doing.run(verb, async () => {
      await verbs[verb](id)
      await refresh('monitor', 'incident')
      say(told)
    })
  }
  const turn = () => act(pauseVerb(monitor), isPaused ? `${name} is watched again` : `${name} is paused`)
  const check = () => act('check', `${name} was checked`)
  useShortcuts({ p: turn, c: check })
  if (!mayChange) return null
  return (
    <>
      <Button
        icon={<RefreshCw size={16} class="max-sm:hidden" aria-hidden="true" />}
        busy={doing.busy === 'check'}
        disabled={isPaused || doing.busy !== null}
        title={isPaused ? 'Resume it first: a paused monitor is not checked' : 'Key c'}
        onClick={check}
      >
        Check now
      </Button>
      <Button
        icon={
          isPaused ? (
            <Play size={16} class="max-sm:hidden" aria-hidden="true" />
          ) : (
            <Pause size={16} class="max-sm:hidden" aria-hidden="true" />
          )
        }
        busy={doing.busy === 'pause' || doing.busy === 'resume'}
        disabled={doing.busy !== null}
        title="Key p"
        onClick={turn}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <LinkButton href={`/monitors/${id}/edit`} icon={<Pencil size={16} class="max-sm:hidden" aria-hidden="true" />}>
        Edit
      </LinkButton>
      <Button
        look="danger"
        icon={<Trash2 size={16} class="max-sm:hidden" aria-hidden="true" />}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      {isAsking && <DeleteMonitor monitor={monitor} onClose={() => setAsking(false)} />}
    </>
  )
}
