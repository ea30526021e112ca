import type { PublicSchemas } from '../../api/client.ts'
import { plural, t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { useAcknowledgeAll } from '../monitors/acknowledgements.ts'
import { useRunningAction } from '../monitors/actions.ts'

interface AcknowledgeSelectedProps {
  /** Those that are not acknowledged yet. */
  readonly open: readonly PublicSchemas['Incident'][]
  readonly chosen: ReadonlySet<string>
  readonly onChosen: (ids: readonly string[]) => void
}

/** Acknowledges the selected incidents of a list. */
export function AcknowledgeSelected({ open, chosen, onChosen }: AcknowledgeSelectedProps) {
  const acknowledgeAll = useAcknowledgeAll()
  const doing = useRunningAction()
  const selected = open.filter(({ id }) => chosen.has(id))
  return (
    <div class="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <label class="flex cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          class="size-4 accent-accent"
          checked={selected.length === open.length}
          onChange={(event) => onChosen(event.currentTarget.checked ? open.map(({ id }) => id) : [])}
        />
        {t('Select all')}
      </label>
      {selected.length > 0 && (
        <Button
          busy={doing.busy !== null}
          onClick={() => void doing.run('acknowledge', () => acknowledgeAll(selected).then(() => onChosen([])))}
        >
          {t('Acknowledge {count}', { count: plural(selected.length, 'incident') })}
        </Button>
      )}
      {doing.problem !== undefined && (
        <p role="alert" class="text-down-text">
          {(doing.problem as Error).message}
        </p>
      )}
    </div>
  )
}
