import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { number } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import type { RunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { type BulkTarget, type MatchingMonitors, useMonitorActions } from './actions.ts'
import type { NamedMonitor } from './delete-later.ts'

const BulkDelete = lazy(() => import('./bulk-delete.tsx'))
const BulkEdit = lazy(() => import('./bulk-edit.tsx'))
const BulkLabels = lazy(() => import('./bulk-labels.tsx'))
const MuteDialog = lazy(() => import('./mute-dialog.tsx'))

interface BulkActionsProps {
  readonly selected: readonly NamedMonitor[]
  /** All monitors that match the labels of the list; undefined if it is not filtered by labels alone. */
  readonly matching: MatchingMonitors | undefined
  readonly doing: RunningAction
  /** The order of the list may change. */
  readonly onDone: () => void
  readonly onClear: () => void
}

/** Actions on all selected monitors. */
export function BulkActions({ selected, matching, doing, onDone, onClear }: BulkActionsProps) {
  const [dialog, setDialog] = useState<'edit' | 'label' | 'mute' | 'delete'>()
  /** The selector whose matches are all selected. Another filter ends the selection. */
  const [allOf, setAllOf] = useState<string>()
  const all = matching !== undefined && matching.selector === allOf ? matching : undefined
  const actions = useMonitorActions()
  const isBusy = doing.busy !== null
  const target: BulkTarget = all ?? selected
  const act = (name: 'pause' | 'resume' | 'check') => {
    const work = () => (name === 'check' ? actions.checkAll(target) : actions.turn(name, target))
    void doing.run(name, () => work().finally(onDone))
  }
  const close = () => setDialog(undefined)
  return (
    // Above the page, so that it does not move the row under the pointer.
    <div class="card fixed inset-x-2 bottom-16 z-30 flex items-center gap-2 overflow-x-auto px-4 py-2 shadow-lg md:start-68 md:end-8 md:bottom-4 md:flex-wrap">
      <p class="me-auto shrink-0 font-medium" role="status">
        {all === undefined
          ? tx('{length} selected', { length: plural(selected.length, 'monitor') })
          : tx('All {length} that match {selector}', {
              length: plural(all.total, 'monitor'),
              selector: all.selector,
            })}
      </p>
      {matching !== undefined && all === undefined && matching.total > selected.length && (
        <Button onClick={() => setAllOf(matching.selector)} disabled={isBusy}>
          {t('Select all {total} that match', { total: number(matching.total) })}
        </Button>
      )}
      <Button onClick={() => act('pause')} busy={doing.busy === 'pause'} disabled={isBusy}>
        {t('Pause')}
      </Button>
      <Button onClick={() => act('resume')} busy={doing.busy === 'resume'} disabled={isBusy}>
        {t('Resume')}
      </Button>
      <Button onClick={() => act('check')} busy={doing.busy === 'check'} disabled={isBusy}>
        {t('Check now')}
      </Button>
      <Button onClick={() => setDialog('mute')} disabled={isBusy}>
        {t('Mute')}
      </Button>
      <Button onClick={() => setDialog('label')} disabled={isBusy}>
        {t('Labels')}
      </Button>
      <Button onClick={() => setDialog('edit')} disabled={isBusy}>
        {t('Edit')}
      </Button>
      <Button look="danger" onClick={() => setDialog('delete')} disabled={isBusy}>
        {t('Delete')}
      </Button>
      <Button look="quiet" onClick={onClear}>
        {t('Clear')}
      </Button>
      <Suspense fallback={null}>
        {dialog === 'mute' && <MuteDialog target={target} onClose={close} />}
        {dialog === 'label' && <BulkLabels target={target} onClose={close} />}
        {dialog === 'edit' && <BulkEdit target={target} onClose={close} />}
        {dialog === 'delete' && <BulkDelete target={target} onDeleted={onClear} onClose={close} />}
      </Suspense>
    </div>
  )
}
