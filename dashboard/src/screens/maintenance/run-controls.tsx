import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { endNow, extend } from './change-end.ts'
import type { Window } from './draft.ts'

const steps = [
  { label: '15 minutes', ms: 900_000 },
  { label: '30 minutes', ms: 1_800_000 },
  { label: '1 hour', ms: 3_600_000 },
  { label: '2 hours', ms: 7_200_000 },
] as const

/** Extends or ends a running window. */
export function RunControls({ window }: { window: Window }) {
  const { api, refresh } = useOrganization()
  const [open, setOpen] = useState<'extend' | 'end' | null>(null)
  const repeats = window.recurrence !== 'NONE'
  const end = async () => {
    await endNow(api, window)
    showToast('Maintenance ended')
    await refresh('maintenance')
  }
  return (
    <>
      <Button look="primary" onClick={() => setOpen('extend')}>
        Extend
      </Button>
      <Button onClick={() => setOpen('end')}>End now</Button>
      {open === 'extend' && <Extend window={window} onClose={() => setOpen(null)} />}
      {open === 'end' && (
        <Confirm title="End this maintenance now?" action="End now" onConfirm={end} onClose={() => setOpen(null)}>
          <p>
            Its monitors are checked immediately and alerts resume.
            {repeats && ' Only the current occurrence ends; future occurrences stay.'}
          </p>
        </Confirm>
      )}
    </>
  )
}

function Extend({ window, onClose }: { window: Window; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const [busy, setBusy] = useState<number | null>(null)
  const [problem, setProblem] = useState<unknown>()
  const go = async (ms: number, label: string) => {
    setBusy(ms)
    setProblem(undefined)
    try {
      const changed = await extend(api, window, ms)
      await refresh('maintenance')
      showToast(`Extended by ${label}`)
      onClose()
      if (changed.id !== window.id) navigate(`/maintenance/${changed.id}`)
    } catch (thrown) {
      setProblem(thrown)
      setBusy(null)
    }
  }
  return (
    <Dialog title="Extend by" onClose={onClose}>
      {window.recurrence !== 'NONE' && (
        <p class="mb-3 text-muted">
          Extends only the current occurrence, with an extra one-time window after it. Future occurrences don’t change.
        </p>
      )}
      <div class="flex flex-wrap gap-2">
        {steps.map(({ label, ms }) => (
          <Button key={ms} busy={busy === ms} disabled={busy !== null} onClick={() => void go(ms, label)}>
            {label}
          </Button>
        ))}
      </div>
      {problem !== undefined && (
        <div class="mt-4">
          <ErrorNotice problem={problem} />
        </div>
      )}
    </Dialog>
  )
}
