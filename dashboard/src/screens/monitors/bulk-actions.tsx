import { useState } from 'preact/hooks'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type MonitorAction, type RunningAction, useMonitorActions } from './actions.ts'

interface BulkBarProps {
  readonly selected: readonly { readonly id: string; readonly name: string }[]
  readonly doing: RunningAction
  readonly onDone: (verb: MonitorAction) => Promise<void>
  readonly onClear: () => void
}

const done: Readonly<Record<MonitorAction, string>> = {
  pause: 'paused',
  resume: 'resumed',
  check: 'checked',
  delete: 'deleted',
}

/** Actions on all selected monitors. */
export function BulkActions({ selected, doing, onDone, onClear }: BulkBarProps) {
  const [isAsking, setAsking] = useState(false)
  const verbs = useMonitorActions()
  const all = async (verb: MonitorAction) => {
    try {
      await toAll(selected, verbs[verb])
      showToast(`${plural(selected.length, 'monitor')} ${done[verb]}`)
    } finally {
      await onDone(verb)
    }
  }
  const isBusy = doing.busy !== null
  const start = (verb: MonitorAction) => void doing.run(verb, () => all(verb))
  return (
    <div class="card sticky top-2 z-20 mb-3 flex flex-wrap items-center gap-2 px-4 py-2 shadow-sm">
      <p class="me-auto font-medium max-sm:basis-full" role="status">
        {plural(selected.length, 'monitor')} selected
      </p>
      <Button onClick={() => start('pause')} busy={doing.busy === 'pause'} disabled={isBusy}>
        Pause
      </Button>
      <Button onClick={() => start('resume')} busy={doing.busy === 'resume'} disabled={isBusy}>
        Resume
      </Button>
      <Button look="danger" onClick={() => setAsking(true)} disabled={isBusy}>
        Delete
      </Button>
      <Button look="quiet" onClick={onClear}>
        Clear
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete ${plural(selected.length, 'monitor')}?`}
          action={`Delete ${plural(selected.length, 'monitor')}`}
          onConfirm={() => all('delete')}
          onClose={() => setAsking(false)}
        >
          <p>
            This permanently deletes their check history and incidents, and removes them from status pages and
            maintenance windows:
          </p>
          <ul class="mt-2 max-h-40 list-disc overflow-y-auto ps-5">
            {selected.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </div>
  )
}

/** Concurrent requests. */
const AT_ONCE = 4

async function toAll(selected: BulkBarProps['selected'], act: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...selected]
  const faults: string[] = []
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { id, name } = next
      await act(id).catch((problem: Error) => faults.push(`${name}: ${problem.message}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (faults.length > 0)
    throw new Error(`${faults.length} of ${selected.length} failed. ${faults.slice(0, 3).join(' ')}`)
}
