import { CheckboxField } from '../../ui/form.tsx'
import { type AlertKind, alertKinds } from './alert-kinds.ts'

interface KindsFieldProps {
  readonly kinds: readonly AlertKind[]
  readonly onKinds: (kinds: readonly AlertKind[]) => void
}

/** Kinds of alerts of a contact; collapsed, because most contacts get all. */
export function KindsField({ kinds, onKinds }: KindsFieldProps) {
  return (
    <details class="rounded-md border border-line px-3 py-1">
      <summary class="touch cursor-pointer py-1">
        Told when…{' '}
        <span class="text-muted">
          {kinds.length === alertKinds.length ? 'anything happens' : `${kinds.length} of ${alertKinds.length} kinds`}
        </span>
      </summary>
      <fieldset class="pb-2">
        <legend class="sr-only">Kinds of alerts</legend>
        {alertKinds.map(({ kind, name }) => (
          <CheckboxField
            key={kind}
            label={name}
            checked={kinds.includes(kind)}
            onValue={(isOn) => onKinds(isOn ? [...kinds, kind] : kinds.filter((other) => other !== kind))}
          />
        ))}
      </fieldset>
    </details>
  )
}
