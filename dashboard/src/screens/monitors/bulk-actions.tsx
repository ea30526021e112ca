import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { plural, t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { type RunningAction, useMonitorActions } from './actions.ts'
import type { NamedMonitor } from './delete-later.ts'

const BulkEdit = lazy(() => import('./bulk-edit.tsx'))
const BulkLabels = lazy(() => import('./bulk-labels.tsx'))

interface BulkActionsProps {
  readonly selected: readonly NamedMonitor[]
  /** All monitors that match the labels of the list; undefined if it is not filtered by labels alone. */
  readonly matching: { readonly selector: string; readonly total: number } | undefined
  readonly doing: RunningAction
  /** The order of the list may change. */
  readonly onDone: () => void
  readonly onClear: () => void
}

/** Actions on all selected monitors. */
export function BulkActions({ selected, matching, doing, onDone, onClear }: BulkActionsProps) {
  const [dialog, setDialog] = useState<'edit' | 'label' | 'delete'>()
  /** The selector whose matches are all selected. Another filter ends the selection. */
  const [allOf, setAllOf] = useState<string>()
  const all = matching !== undefined && matching.selector === allOf ? matching : undefined
  const actions = useMonitorActions()
  const isBusy = doing.busy !== null
  const turn = (verb: 'pause' | 'resume') => {
    const work = () =>
      all === undefined
        ? actions.turn(verb, selected)
        : actions.changeMatching(all.selector, verb === 'pause' ? 'PAUSE' : 'RESUME')
    void doing.run(verb, () => work().finally(onDone))
  }
  const close = () => setDialog(undefined)
  return (
    <div class="card sticky top-2 z-20 mb-3 flex flex-wrap items-center gap-2 px-4 py-2 shadow-sm">
      <p class="me-auto font-medium max-sm:basis-full" role="status">
        {all === undefined
          ? tx('{length} selected', { length: plural(selected.length, 'monitor') })
          : tx('All {length} that match {selector}', {
              length: plural(all.total, 'monitor'),
              selector: all.selector,
            })}
      </p>
      {matching !== undefined && all === undefined && matching.total > selected.length && (
        <Button onClick={() => setAllOf(matching.selector)} disabled={isBusy}>
          {t('Select all {total} that match', { total: matching.total.toLocaleString() })}
        </Button>
      )}
      <Button onClick={() => turn('pause')} busy={doing.busy === 'pause'} disabled={isBusy}>
        {t('Pause')}
      </Button>
      <Button onClick={() => turn('resume')} busy={doing.busy === 'resume'} disabled={isBusy}>
        {t('Resume')}
      </Button>
      <Button onClick={() => setDialog('label')} disabled={isBusy}>
        {t('Labels')}
      </Button>
      {all === undefined && (
        <>
          <Button onClick={() => setDialog('edit')} disabled={isBusy}>
            {t('Edit')}
          </Button>
          <Button look="danger" onClick={() => setDialog('delete')} disabled={isBusy}>
            {t('Delete')}
          </Button>
        </>
      )}
      <Button look="quiet" onClick={onClear}>
        {t('Clear')}
      </Button>
      {dialog === 'label' && (
        <Suspense fallback={null}>
          <BulkLabels
            target={all === undefined ? { monitorIds: selected.map(({ id }) => id) } : { selector: all.selector }}
            count={all?.total ?? selected.length}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog === 'edit' && (
        <Suspense fallback={null}>
          <BulkEdit selected={selected} onClose={close} />
        </Suspense>
      )}
      {dialog === 'delete' && (
        <Confirm
          title={t('Delete {length}?', { length: plural(selected.length, 'monitor') })}
          action={t('Delete {length}', { length: plural(selected.length, 'monitor') })}
          onConfirm={async () => {
            actions.remove(selected)
            onClear()
          }}
          onClose={close}
        >
          <p>
            {t(
              'This permanently deletes their check history and incidents, and removes them from status pages and maintenance windows:',
            )}
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
