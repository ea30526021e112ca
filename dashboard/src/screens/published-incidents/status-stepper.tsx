import { useId } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { type Status, statuses } from './labels.tsx'

/** Status as native radio buttons in the form of steps. */
export function StatusStepper({ value, onValue }: { value: Status; onValue: (status: Status) => void }) {
  const name = useId()
  const at = statuses.findIndex((one) => one.value === value)
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t('Status')}</legend>
      <div class="@container">
        <div class="grid grid-cols-2 gap-1 @2xl:grid-cols-4">
          {statuses.map((status, i) => (
            <label
              key={status.value}
              class={`touch flex cursor-pointer items-center gap-1.5 border-t-4 px-1.5 py-2 focus-within:outline-2 focus-within:outline-accent ${i <= at ? 'border-accent' : 'border-line'} ${i === at ? 'bg-accent-soft font-semibold text-accent' : 'text-muted hover:bg-ground'}`}
            >
              <input
                type="radio"
                class="size-4 shrink-0 accent-accent"
                name={name}
                checked={i === at}
                onChange={() => onValue(status.value)}
              />
              {status.label}
            </label>
          ))}
        </div>
      </div>
    </fieldset>
  )
}

/** The same steps, read-only. */
export function StatusSteps({ value }: { value: Status }) {
  const at = statuses.findIndex((one) => one.value === value)
  return (
    <ol class="mb-6 grid grid-cols-4 gap-1" aria-label={t('Status')}>
      {statuses.map((status, i) => (
        <li
          key={status.value}
          aria-current={i === at ? 'step' : undefined}
          class={`border-t-4 pt-1 text-xs sm:text-sm ${i <= at ? 'border-accent' : 'border-line'} ${i === at ? 'font-semibold text-accent' : 'text-muted'}`}
        >
          {status.label}
        </li>
      ))}
    </ol>
  )
}
