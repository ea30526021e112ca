import { useState } from 'preact/hooks'
import { unitWord } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Field } from '../../ui/form.tsx'
import { Select } from '../../ui/select.tsx'

const units = [
  { seconds: 1, name: 'second' },
  { seconds: 60, name: 'minute' },
  { seconds: 3_600, name: 'hour' },
  { seconds: 86_400, name: 'day' },
] as const

interface DurationFieldProps {
  readonly label: string
  readonly path: string
  readonly hint?: preact.ComponentChildren
  readonly value: number | null
  readonly onValue: (seconds: number | null) => void
  readonly min: number
  readonly max: number
  readonly required?: boolean
  /** Seconds of the unit of an empty field. */
  readonly initialUnit?: number
}

/** A duration with a unit, such as "5 minutes"; the value is in seconds. */
export function DurationField({ label, path, hint, value, onValue, min, max, ...options }: DurationFieldProps) {
  const { required = true, initialUnit } = options
  const [unit, setUnit] = useState(() => (value === null && initialUnit) || largestUnitOf(value))
  const count = value === null ? '' : String(value / unit)
  return (
    <Field label={label} path={path} hint={hint}>
      {(wiring) => (
        <div class="flex gap-2">
          <input
            {...wiring}
            class="input max-w-28 min-w-16"
            type="number"
            inputMode="decimal"
            step="any"
            required={required}
            min={min / unit}
            max={max / unit}
            value={count}
            onInput={({ currentTarget: { value: text } }) =>
              onValue(text === '' ? null : Math.round(Number(text) * unit))
            }
          />
          <Select
            class="input max-w-40 min-w-28"
            aria-label={t('{label}: unit', { label })}
            value={String(unit)}
            onValue={(text) => {
              const next = Number(text)
              setUnit(next)
              // Changing the unit keeps the number: "5 minutes" becomes "5 hours".
              if (value !== null) onValue(Math.round((value / unit) * next))
            }}
            choices={units
              .filter(({ seconds }) => seconds <= max)
              .map(({ seconds, name }) => ({
                value: String(seconds),
                label: unitWord(name, value === null ? 2 : value / unit),
              }))}
          />
        </div>
      )}
    </Field>
  )
}

function largestUnitOf(value: number | null): number {
  if (value === null || value === 0) return 1
  return units.findLast(({ seconds }) => value % seconds === 0)?.seconds ?? 1
}
