import { t } from '../../lib/i18n.ts'
import { FieldGroup } from '../../ui/field-group.tsx'
import { fieldsOf, NumberField, SelectField, TextField } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { weekdays } from './describe-recurrence.ts'
import type { Draft } from './draft.ts'

const recurrenceChoices = choicesOf({
  NONE: t('Does not repeat'),
  DAILY: t('Daily'),
  WEEKLY: t('Weekly'),
  MONTHLY: t('Monthly'),
})

const everyLabels = {
  NONE: '',
  DAILY: t('Every … days'),
  WEEKLY: t('Every … weeks'),
  MONTHLY: t('Every … months'),
} as const
const monthDays = [...Array.from({ length: 31 }, (_, i) => i + 1), -1]

interface Props {
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
}

/** Recurrence settings; shows only the fields of the selected recurrence. */
export function RecurrenceFields({ draft, onChange }: Props) {
  const field = fieldsOf(draft, onChange)
  const { recurrence } = draft
  return (
    <div class="space-y-4">
      <div class="grid grid-cols-[repeat(auto-fit,minmax(min(100%,14rem),1fr))] gap-4">
        <SelectField label={t('Repeats')} {...field('recurrence')} choices={recurrenceChoices} />
        {recurrence !== 'NONE' && (
          <>
            <NumberField label={everyLabels[recurrence]} {...field('recurrenceInterval')} min={1} max={52} required />
            <TextField
              label={t('Until')}
              {...field('recurrenceEndsAt')}
              type="datetime-local"
              hint={t('Leave empty to repeat forever')}
            />
          </>
        )}
      </div>
      {recurrence === 'WEEKLY' && (
        <Days
          {...field('daysOfWeek')}
          hint={t('Leave empty to use the weekday of the start.')}
          days={weekdays.map((name, i) => ({ value: i + 1, label: name.slice(0, 3), after: name.slice(3) }))}
        />
      )}
      {recurrence === 'MONTHLY' && (
        <Days
          {...field('daysOfMonth')}
          hint={t('Leave empty to use the day of the start. Months without that day are skipped.')}
          days={monthDays.map((day) => ({
            value: day,
            ...(day === -1 ? { label: t('Last'), after: t(' day') } : { before: t('Day '), label: String(day) }),
          }))}
        />
      )}
      {recurrence !== 'WEEKLY' && draft.daysOfWeek.length > 0 && (
        <InfoNotice>
          {t('The chosen days of the week only apply to weekly maintenance. They are removed when you save.')}
        </InfoNotice>
      )}
      {recurrence !== 'MONTHLY' && draft.daysOfMonth.length > 0 && (
        <InfoNotice>
          {t('The chosen days of the month only apply to monthly maintenance. They are removed when you save.')}
        </InfoNotice>
      )}
    </div>
  )
}

interface DaysProps {
  readonly path: string
  readonly value: readonly number[]
  readonly onValue: (days: readonly number[]) => void
  readonly hint: string
  /** Text for screen readers around the short visible label. */
  readonly days: readonly {
    readonly value: number
    readonly label: string
    readonly before?: string
    readonly after?: string
  }[]
}

function Days({ path, value: chosen, onValue, hint, days }: DaysProps) {
  return (
    <FieldGroup path={path} value={chosen}>
      <fieldset>
        <legend class="mb-1 font-medium">{t('On these days')}</legend>
        <div class="flex flex-wrap gap-1">
          {days.map(({ value: day, label, before, after }) => {
            const isChosen = chosen.includes(day)
            return (
              <button
                key={day}
                type="button"
                aria-pressed={isChosen}
                onClick={() => onValue(isChosen ? chosen.filter((other) => other !== day) : [...chosen, day])}
                class={`touch min-h-9 min-w-10 rounded-md border px-2 ${isChosen ? 'border-accent bg-accent-soft font-semibold text-accent' : 'border-line text-muted hover:text-ink'}`}
              >
                <span class="sr-only">{before}</span>
                {label}
                <span class="sr-only">{after}</span>
              </button>
            )
          })}
        </div>
        <p class="mt-1 text-xs text-muted">{hint}</p>
      </fieldset>
    </FieldGroup>
  )
}
