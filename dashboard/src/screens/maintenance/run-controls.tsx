import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Clients } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton, Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Window } from './draft.ts'

const steps = [
  { label: t('15 minutes'), ms: 900_000 },
  { label: t('30 minutes'), ms: 1_800_000 },
  { label: t('1 hour'), ms: 3_600_000 },
  { label: t('2 hours'), ms: 7_200_000 },
] as const

/** Extends or ends a running window. */
export function RunControls({ window }: { window: Window }) {
  const { api, refresh } = useOrganization()
  const [isExtending, setExtending] = useState(false)
  const repeats = window.recurrence !== 'NONE'
  const end = async () => {
    await endNow(api, window)
    showToast(t('Maintenance ended'))
    await refresh('maintenance')
  }
  return (
    <>
      <Button look="primary" onClick={() => setExtending(true)}>
        {t('Extend')}
      </Button>
      <ConfirmButton label={t('End now')} title={t('End this maintenance now?')} action={t('End now')} onConfirm={end}>
        <p>
          {tx('Its monitors are checked immediately and alerts resume.{value}', {
            value: repeats && t(' Only the current occurrence ends; future occurrences stay.'),
          })}
        </p>
      </ConfirmButton>
      {isExtending && <Extend window={window} onClose={() => setExtending(false)} />}
    </>
  )
}

function Extend({ window, onClose }: { window: Window; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const doing = useRunningAction()
  const go = async (ms: number, label: string) => {
    const changed = await extend(api, window, ms)
    await refresh('maintenance')
    showToast(t('Extended by {label}', { label }))
    onClose()
    if (changed.id !== window.id) navigate(`/maintenance/${changed.id}`)
  }
  return (
    <Dialog title={t('Extend by')} onClose={onClose}>
      {window.recurrence !== 'NONE' && (
        <p class="mb-3 text-muted">
          {t(
            'Extends only the current occurrence, with an extra one-time window after it. Future occurrences don’t change.',
          )}
        </p>
      )}
      <div class="flex flex-wrap gap-2">
        {steps.map(({ label, ms }) => (
          <Button
            key={ms}
            busy={doing.busy === label}
            disabled={doing.busy !== null}
            onClick={() => void doing.run(label, () => go(ms, label))}
          >
            {label}
          </Button>
        ))}
      </div>
      <ErrorNotice problem={doing.problem} class="mt-4" />
    </Dialog>
  )
}

/** Extends the running occurrence. For a recurring window, the extra time becomes a separate window. */
async function extend(api: Clients['api'], window: Window, byMs: number): Promise<Window> {
  const { currentOccurrence: current } = window
  if (current === null) throw new Error(t('The window is no longer in progress'))
  const later = new Date(Date.parse(current.endsAt) + byMs).toISOString()
  if (window.recurrence === 'NONE') return change(api, window.id, { endsAt: later })
  const { timezone, monitorIds, allMonitors, statusPageIds, description } = window
  const name = t('{value} (extended)', { value: window.name.slice(0, 108) })
  const body = { name, description, timezone, monitorIds, allMonitors, statusPageIds }
  return api.POST('/api/v1/maintenance-windows', { body: { ...body, startsAt: current.endsAt, endsAt: later } })
}

/**
 * Ends the running occurrence. A recurring window continues with its next occurrence: its start is moved there, which keeps the
 * recurrence. Without a next occurrence it becomes a one-time window that ends now.
 */
async function endNow(api: Clients['api'], window: Window): Promise<Window> {
  const { currentOccurrence: current, nextOccurrence: next } = window
  if (current === null) throw new Error(t('The window is no longer in progress'))
  const now = new Date().toISOString()
  if (window.recurrence === 'NONE') return change(api, window.id, { endsAt: now })
  if (next !== null) return change(api, window.id, { startsAt: next.startsAt, endsAt: next.endsAt })
  return change(api, window.id, { recurrence: 'NONE', recurrenceEndsAt: null, startsAt: current.startsAt, endsAt: now })
}

function change(
  api: Clients['api'],
  maintenanceId: string,
  body: Partial<Pick<Window, 'startsAt' | 'endsAt' | 'recurrence' | 'recurrenceEndsAt'>>,
): Promise<Window> {
  return api.PATCH('/api/v1/maintenance-windows/{maintenanceId}', { path: { maintenanceId }, body })
}
