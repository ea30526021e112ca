import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useAllStatusPages, useNamesOf } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration, localZone, relativeTime } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { timeRangeIn } from '../../lib/time-zones.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { ManagedBy } from '../../ui/managed.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { describeRecurrence } from './describe-recurrence.ts'
import { bodyOf, type Draft, draftOf, type Window } from './draft.ts'
import { timingOf } from './occurrences.ts'
import { RunControls } from './run-controls.tsx'
import { UpcomingTimes } from './upcoming.tsx'
import { WindowForm } from './window-form.tsx'
import { CoveredByLabels, WindowSelector } from './window-selector.tsx'
import { WindowStatusLabel } from './window-status.tsx'

const back = { href: '/maintenance', label: t('Maintenance windows') }

export default function MaintenanceWindow({ id }: { id: string }) {
  const window = useGet(['maintenance', id], '/api/v1/maintenance-windows/{maintenanceId}', {
    path: { maintenanceId: id },
    // The event stream reports start and end; the local clock may be ahead.
    refetchInterval: 30_000,
  })
  if (window.data !== undefined) return <View window={window.data} />
  return <ResourcePage query={window} title={t('Maintenance window')} back={back} />
}

function View({ window }: { window: Window }) {
  const { api, may, refresh } = useOrganization()
  const [isEditing, setEditing] = useState(false)
  const save = async (draft: Draft, saved: () => void) => {
    const path = { maintenanceId: window.id }
    const body = bodyOf(draft, window)
    await api.PATCH('/api/v1/maintenance-windows/{maintenanceId}', { path, body })
    saved()
    showToast(t('Saved'))
    await refresh('maintenance')
    setEditing(false)
  }
  if (isEditing) {
    return (
      <Page title={t('Edit {name}', { name: window.name })} back={back}>
        <WindowForm initial={draftOf(window)} windowId={window.id} onSave={save} onCancel={() => setEditing(false)} />
      </Page>
    )
  }
  return (
    <Page
      title={window.name}
      back={back}
      lead={<WindowSummary window={window} />}
      actions={
        may('MEMBER') && (
          <>
            {window.currentOccurrence !== null && <RunControls window={window} />}
            <Button onClick={() => setEditing(true)}>{t('Edit')}</Button>
            <DeleteButton window={window} />
          </>
        )
      }
    >
      <div class="grid grid-cols-1 items-start gap-x-8 lg:grid-cols-2">
        <WindowTimes window={window} />
        <WindowDetails window={window} />
        {!window.allMonitors && <WindowSelector id={window.id} />}
      </div>
    </Page>
  )
}

function WindowSummary({ window }: { window: Window }) {
  const now = useNow(1000)
  const { currentOccurrence: current, nextOccurrence: next } = window
  return (
    <span class="flex flex-wrap gap-x-4">
      <WindowStatusLabel status={window.status} />
      {current !== null && <span>{tx('ends {endsAt}', { endsAt: relativeTime(current.endsAt, now) })}</span>}
      {current === null && next !== null && (
        <span>{tx('starts {startsAt}', { startsAt: relativeTime(next.startsAt, now) })}</span>
      )}
      <ManagedBy kind="maintenance" id={window.id} />
    </span>
  )
}

function WindowTimes({ window }: { window: Window }) {
  const timing = timingOf(window)
  const shown = window.currentOccurrence ?? window.nextOccurrence ?? window
  const [start, end] = [Date.parse(shown.startsAt), Date.parse(shown.endsAt)]
  const here = localZone
  // Recurring windows list their next occurrences anyway.
  const isElsewhere = here !== window.timezone && (window.recurrence === 'NONE' || window.currentOccurrence !== null)
  return (
    <Section title={t('Schedule')}>
      <div class="card p-4">
        <p>{describeRecurrence(timing)}</p>
        {isElsewhere && (
          <p class="mt-2 text-muted">
            {timeRangeIn(start, end, here)}, {here}
          </p>
        )}
        {window.currentOccurrence !== null && <Progress start={start} end={end} />}
        {window.recurrence !== 'NONE' && <UpcomingTimes timing={timing} />}
      </div>
    </Section>
  )
}

/** Progress of the running occurrence. */
function Progress({ start, end }: { start: number; end: number }) {
  const now = useNow(1000)
  const elapsedMs = Math.min(end - start, Math.max(0, now - start))
  return (
    <div class="mt-3">
      <div class="h-2 overflow-hidden rounded-full bg-line" aria-hidden="true">
        <div class="h-full bg-maintenance" style={{ width: `${(100 * elapsedMs) / (end - start)}%` }} />
      </div>
      <p class="mt-1 text-xs text-muted">
        {tx('{elapsed} of {whole}', {
          elapsed: duration(elapsedMs / 1000),
          whole: duration((end - start) / 1000),
        })}
      </p>
    </div>
  )
}

function WindowDetails({ window }: { window: Window }) {
  const monitors = useNamesOf(window.monitorIds)
  const pages = useAllStatusPages()
  return (
    <Section title={t('Scope')}>
      <div class="card space-y-3 p-4">
        {window.description !== null && <p class="whitespace-pre-line">{window.description}</p>}
        <div>
          <h3 class="text-xs text-muted">{t('Monitors')}</h3>
          {window.allMonitors && <p>{t('All monitors, including ones added later')}</p>}
          {!window.allMonitors && window.monitorIds.length === 0 && (
            <p>
              <CoveredByLabels id={window.id} />
            </p>
          )}
          <ul>
            {window.monitorIds.map((id) => (
              <li key={id}>
                <Link href={`/monitors/${id}`} class="link">
                  {monitors.data?.find((monitor) => monitor.id === id)?.name ?? t('Monitor')}
                </Link>
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h3 class="text-xs text-muted">{t('Shown on')}</h3>
          {window.statusPageIds.length === 0 && <p>{t('Status pages that show these monitors')}</p>}
          <ul>
            {window.statusPageIds.map((id) => (
              <li key={id}>{pages.data?.find((page) => page.id === id)?.name ?? t('Deleted page')}</li>
            ))}
          </ul>
        </div>
      </div>
    </Section>
  )
}

function DeleteButton({ window }: { window: Window }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const remove = async () => {
    const path = { maintenanceId: window.id }
    await api.DELETE('/api/v1/maintenance-windows/{maintenanceId}', { path })
    showToast(t('Maintenance window deleted'))
    navigate('/maintenance')
    void refresh('maintenance')
  }
  return (
    <ConfirmButton
      label={t('Delete')}
      look="danger"
      title={t('Delete this maintenance window?')}
      action={t('Delete')}
      onConfirm={remove}
    >
      <p>
        {tx('{name} is removed from the status pages{future}.{alerts} Past maintenance stays excluded from uptime.', {
          name: <strong>{window.name}</strong>,
          future: window.recurrence !== 'NONE' && t(', including all future occurrences'),
          alerts:
            window.status === 'IN_PROGRESS' &&
            t(' It is in progress: its monitors are checked immediately and alerts resume.'),
        })}
      </p>
    </ConfirmButton>
  )
}
