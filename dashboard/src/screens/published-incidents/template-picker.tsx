import { t, tx } from '../../lib/i18n.ts'
import type { Status } from './labels.tsx'
import { templatesFor } from './templates.ts'

interface Props {
  readonly thing: string
  readonly onPick: (template: { readonly status: Status; readonly message: string }) => void
}

/** Fills in status and message from a template. */
export function TemplatePicker({ thing, onPick }: Props) {
  return (
    <fieldset>
      <legend class="mb-1 font-medium">
        {tx('Use a template {part}', {
          part: <span class="font-normal text-muted">{t('(sets status and message)')}</span>,
        })}
      </legend>
      <div class="flex flex-wrap gap-1.5">
        {templatesFor(thing).map((template) => (
          <button
            key={template.name}
            type="button"
            class="touch rounded-full border border-line px-3 py-1 text-xs hover:border-accent hover:bg-accent-soft"
            onClick={() => onPick(template)}
          >
            {template.name}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
