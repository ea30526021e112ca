import { BellOff, Ellipsis, Pause, Pencil, Play, RefreshCw } from 'lucide-preact'
import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { type RunningAction, useRunningAction } from '../../lib/running-action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ManagedBy } from '../../ui/managed.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { canCheck, pauseAction, useMonitorActions } from './actions.ts'
import { AlertBanner } from './alert-banner.tsx'
import { CertificatePanel, DomainPanel } from './certificate-panel.tsx'
import { CheckLog } from './check-log.tsx'
import { DeleteMonitor } from './delete-monitor.tsx'
import { DnsRecords } from './dns-records.tsx'
import { FailureReason } from './failure-reason.tsx'
import { FlappingNotice } from './flapping.tsx'
import { Heartbeats } from './heartbeats.tsx'
import { LabelsPanel } from './labels-panel.tsx'
import { AlertContacts, InMaintenance, MonitorIncidents, NotesPanel, TimingBreakdown } from './monitor-sidebar.tsx'
import { MutedNotice } from './mute.tsx'
import { ResponseTimes } from './response-times.tsx'
import { targetText, typeLabel } from './types.ts'
import { UptimeFigures } from './uptime-figures.tsx'

const MuteDialog = lazy(() => import('./mute-dialog.tsx'))

const back = { href: '/monitors', label: t('Monitors') }

export default function Monitor({ id }: { id: string }) {
  const monitor = useGet(['monitor', id], '/api/v1/monitors/{monitorId}', { path: { monitorId: id } })
  if (monitor.data !== undefined) return <Details monitor={monitor.data} />
  return <ResourcePage query={monitor} title={t('Monitor')} back={back} />
}

function Details({ monitor }: { monitor: PublicSchemas['Monitor'] }) {
  const { id, name, type } = monitor
  const doing = useRunningAction()
  // Refetched after each check.
  const details = useGet(['monitor', id], '/api/v1/monitors/{monitorId}/details', { path: { monitorId: id } })
  const incidents = useGet('incident', '/api/v1/incidents', { query: { monitorId: id, limit: 100 } })
  const listed = incidents.data?.data ?? none
  const open = listed.find(({ resolvedAt }) => resolvedAt === null)
  const target = targetText(monitor)
  return (
    <Page
      title={name}
      back={back}
      wide
      lead={
        <span class="flex flex-wrap gap-x-4">
          <span>
            {typeLabel(type)}
            {target !== null && <> · {target}</>}
          </span>
          <ManagedBy kind="monitor" id={id} />
        </span>
      }
      actions={<Actions monitor={monitor} doing={doing} />}
    >
      <ErrorNotice problem={doing.problem} class="mb-4" />
      <AlertBanner monitorId={id} />
      <InMaintenance id={id} />
      <MutedNotice monitorId={id} />
      <FlappingNotice monitorId={id} changedAt={monitor.lastStatusChangedAt} />
      <FailureReason monitor={monitor} openIncident={open} schedule={details.data?.schedule} />
      <div class="grid grid-cols-1 gap-x-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] 2xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div>
          {type === 'CRON' && <Heartbeats monitor={monitor} incidents={listed} schedule={details.data?.schedule} />}
          {type === 'DNS' && <DnsRecords monitor={monitor} details={details} />}
          {type === 'SSL' && <CertificatePanel monitor={monitor} details={details.data} />}
          {type === 'DOMAIN' && <DomainPanel monitor={monitor} details={details.data} />}
          <ResponseTimes monitor={monitor} incidents={listed} />
          {type !== 'CRON' && <CheckLog monitorId={id} hasDuration={type !== 'DOMAIN'} />}
        </div>
        <div>
          <NotesPanel id={id} />
          <UptimeFigures id={id} />
          {(type === 'HTTP' || type === 'KEYWORD') && (
            <CertificatePanel monitor={monitor} details={details.data} compact />
          )}
          <MonitorIncidents id={id} incidents={incidents.data} />
          <TimingBreakdown monitor={monitor} />
          <LabelsPanel id={id} />
          <AlertContacts id={id} />
        </div>
      </div>
    </Page>
  )
}

const none: readonly PublicSchemas['Incident'][] = []

function Actions({ monitor, doing }: { monitor: PublicSchemas['Monitor']; doing: RunningAction }) {
  const { may, refresh } = useOrganization()
  const actions = useMonitorActions()
  const [isConfirmingDeletion, setConfirmingDeletion] = useState(false)
  const [isMuting, setMuting] = useState(false)
  const [, navigate] = useLocation()
  const { id, name, state } = monitor
  const isPaused = state === 'PAUSED'
  const mayChange = may('MEMBER')
  const togglePause = () => {
    const verb = pauseAction(monitor)
    void doing.run(verb, () => actions.turn(verb, [monitor]))
  }
  const mayCheck = canCheck(monitor)
  const check = () => {
    void doing.run('check', async () => {
      await actions.check(id)
      await refresh('monitor', 'incident')
      showToast(t('{name} checked', { name }))
    })
  }
  if (!mayChange) return null
  return (
    <>
      {mayCheck && (
        <Button
          icon={<RefreshCw class="max-sm:hidden" />}
          busy={doing.busy === 'check'}
          disabled={isPaused || doing.busy !== null}
          title={isPaused ? t('Resume the monitor first') : undefined}
          onClick={check}
        >
          {t('Check now')}
        </Button>
      )}
      <Button
        icon={isPaused ? <Play class="max-sm:hidden" /> : <Pause class="max-sm:hidden" />}
        busy={doing.busy === 'pause' || doing.busy === 'resume'}
        disabled={doing.busy !== null}
        onClick={togglePause}
      >
        {isPaused ? t('Resume') : t('Pause')}
      </Button>
      <Button icon={<BellOff class="max-sm:hidden" />} onClick={() => setMuting(true)}>
        {t('Mute')}
      </Button>
      <LinkButton href={`/monitors/${id}/edit`} icon={<Pencil class="max-sm:hidden" />}>
        {t('Edit')}
      </LinkButton>
      <Menu label={t('More actions')} class="button button-icon" button={<Ellipsis />}>
        <MenuItem onClick={() => navigate(`/monitors/new?copy=${id}`)}>{t('Duplicate')}</MenuItem>
        <MenuItem danger onClick={() => setConfirmingDeletion(true)}>
          {t('Delete')}
        </MenuItem>
      </Menu>
      {isConfirmingDeletion && <DeleteMonitor monitor={monitor} onClose={() => setConfirmingDeletion(false)} />}
      <Suspense fallback={null}>
        {isMuting && <MuteDialog target={[monitor]} onClose={() => setMuting(false)} />}
      </Suspense>
    </>
  )
}
