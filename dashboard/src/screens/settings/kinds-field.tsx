import { t, tx } from '../../lib/i18n.ts'
import { CheckboxField } from '../../ui/form.tsx'
import { type AlertKind, alertKinds } from './alert-kinds.ts'

interface KindsFieldProps {
  readonly kinds: readonly AlertKind[]
  readonly onKinds: (kinds: readonly AlertKind[]) => void
}

/** Alert types of a contact; collapsed, because most contacts get all. */
export function KindsField({ kinds, onKinds }: KindsFieldProps) {
  return (
    <details class="rounded-md border border-line px-3 py-1">
      <summary class="touch cursor-pointer py-1">
        {tx('Alerts: {part}', {
          part: (
            <span class="text-muted">
              {kinds.length === alertKinds.length
                ? t('all')
                : t('{chosen} of {all}', { chosen: kinds.length, all: alertKinds.length })}
            </span>
          ),
        })}
      </summary>
      <fieldset class="pb-2">
        <legend class="sr-only">{t('Alert types')}</legend>
        {alertKinds.map(({ kind, name }) => (
          <CheckboxField
            key={kind}
            label={name}
            value={kinds.includes(kind)}
            onValue={(isOn) => onKinds(isOn ? [...kinds, kind] : kinds.filter((other) => other !== kind))}
          />
        ))}
      </fieldset>
    </details>
  )
}
