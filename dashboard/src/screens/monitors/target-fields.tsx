import { t } from '../../lib/i18n.ts'
import { CheckboxField, fieldsOf, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { choicesOf } from '../../ui/select.tsx'
import type { Draft } from './draft.ts'
import { DurationField } from './duration-field.tsx'
import { type Field, hasField, typeForms } from './types.ts'

export interface FieldsProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
}

const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS'] as const

/** The required fields of a type, and those that belong to them. */
export function TargetFields({ draft, set }: FieldsProps) {
  const { url } = typeForms[draft.type]
  const has = (name: Field) => hasField(draft.type, name)
  const field = fieldsOf(draft, set)
  const input = { inputMode: 'url', autocomplete: 'off', required: true } as const
  const target = url ? (
    <TextField {...field('url')} {...input} {...url} maxLength={2048} />
  ) : (
    has('host') && (
      <TextField
        label={t('Host')}
        {...field('host')}
        {...input}
        maxLength={255}
        placeholder="db-1.example or 192.0.2.7"
      />
    )
  )
  const beside = has('port') ? (
    <NumberField label={t('Port')} {...field('port')} min={1} max={65_535} required />
  ) : (
    has('dnsRecordType') && (
      <SelectField
        label={t('Record type')}
        {...field('dnsRecordType')}
        choices={recordTypes.map((value) => ({ value, label: value }))}
      />
    )
  )
  return (
    <>
      {beside ? (
        <div class="grid gap-4 sm:grid-cols-[1fr_8rem]">
          {target}
          {beside}
        </div>
      ) : (
        target
      )}
      {has('keyword') && <KeywordFields draft={draft} set={set} />}
      {has('expectedPeriodSec') && (
        <div class="grid gap-4 sm:grid-cols-2">
          <DurationField
            label={t('Expected every')}
            {...field('expectedPeriodSec')}
            min={60}
            max={2_592_000}
            hint={t('1 minute to 30 days')}
          />
          <DurationField
            label={t('Grace period')}
            {...field('graceSeconds')}
            min={0}
            max={86_400}
            hint={t('How late a run may be before the monitor is down, up to 24 hours')}
          />
        </div>
      )}
      {has('dnsExpected') && (
        <>
          <TextAreaField
            label={t('Expected values (optional)')}
            {...field('dnsExpected')}
            rows={2}
            maxLength={2000}
            hint={t('Separated by commas or line breaks; all must be present')}
          />
          <CheckboxField label={t('Alert when the records change')} {...field('dnsAlertOnChange')} />
        </>
      )}
    </>
  )
}

function KeywordFields({ draft, set }: FieldsProps) {
  const field = fieldsOf(draft, set)
  return (
    <div class="grid gap-4 sm:grid-cols-[14rem_1fr]">
      <SelectField
        label={t('Response')}
        {...field('keywordMatch')}
        choices={choicesOf({ EXISTS: t('Must contain'), NOT_EXISTS: t('Must not contain') })}
      />
      <TextField
        label={t('Keyword')}
        {...field('keyword')}
        maxLength={500}
        autocomplete="off"
        hint={
          draft.method === 'HEAD' ? (
            <span class="text-degraded-text">{t('The method HEAD (under Advanced) returns no body to search')}</span>
          ) : (
            t('Searched in the first 1 MiB of the response')
          )
        }
        required
      />
    </div>
  )
}
