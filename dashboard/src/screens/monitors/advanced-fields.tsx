import type { ComponentChildren } from 'preact'
import { t, tx } from '../../lib/i18n.ts'
import { FieldGroup } from '../../ui/field-group.tsx'
import { CheckboxField, fieldsOf, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { EXPIRY_WARNING_DAYS } from './draft.ts'
import { DurationField } from './duration-field.tsx'
import type { FieldsProps } from './target-fields.tsx'
import { typeForms } from './types.ts'

/** Settings that most monitors leave at the default. */
export function AdvancedFields({ draft, set, children }: FieldsProps & { children: ComponentChildren }) {
  const field = fieldsOf(draft, set)
  const { fields } = typeForms[draft.type]
  const isWeb = fields.includes('method')
  return (
    <details
      class="rounded-md border border-line"
      // Opens if a field inside has an error.
      onInvalidCapture={(event) => event.currentTarget.setAttribute('open', '')}
    >
      <summary class="touch cursor-pointer px-4 py-2 font-medium">{t('Advanced')}</summary>
      <div class="space-y-4 border-t border-line p-4">
        {isWeb && <RequestFields draft={draft} set={set} />}
        <div class="grid gap-4 sm:grid-cols-2">
          {fields.includes('timeoutSeconds') && (
            <DurationField
              label={t('Timeout')}
              {...field('timeoutSeconds')}
              min={1}
              max={60}
              hint={t('1 to 60 seconds')}
            />
          )}
          {fields.includes('sslExpiryThresholdDays') && (
            <NumberField
              label={t('Warn before expiry (days)')}
              {...field('sslExpiryThresholdDays')}
              min={1}
              max={365}
              required
              hint={t('{value}; {expiryWarningDays} days by default', {
                value: draft.type === 'DOMAIN' ? t('Domain registration') : t('SSL certificate'),
                expiryWarningDays: EXPIRY_WARNING_DAYS,
              })}
            />
          )}
        </div>
        {fields.includes('verifySsl') && (
          <CheckboxField
            label={t('Require a valid certificate')}
            hint={draft.type === 'SSL' ? t('Clear to check only the expiry date') : undefined}
            {...field('verifySsl')}
          />
        )}
        {fields.includes('degradedThresholdMs') && <SlownessFields draft={draft} set={set} />}
        {children}
      </div>
    </details>
  )
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function RequestFields({ draft, set }: FieldsProps) {
  const field = fieldsOf(draft, set)
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-[8rem_1fr]">
        <SelectField
          label={t('Method')}
          {...field('method')}
          choices={methods.map((value) => ({ value, label: value }))}
        />
        <TextField
          label={t('Expected status codes')}
          {...field('expectedStatus')}
          hint={t('Codes and ranges, for example 200-206, 301')}
          autocomplete="off"
          required
        />
      </div>
      {draft.type === 'KEYWORD' && draft.method === 'HEAD' && (
        <InfoNotice>
          {t('A HEAD response has no body, so the keyword is never found. Use GET to search the response.')}
        </InfoNotice>
      )}
      <TextAreaField
        label={t('Request headers')}
        {...field('requestHeaders')}
        rows={3}
        mono
        hint={t('One per line, as Name: value. For a login, use “Connection and login” below.')}
      />
      {draft.method !== 'GET' && draft.method !== 'HEAD' && (
        <TextAreaField label={t('Request body')} {...field('requestBody')} rows={4} maxLength={100_000} mono />
      )}
      <CheckboxField
        label={t('Follow redirects')}
        {...field('followRedirects')}
        hint={t('Credentials, custom headers and the body aren’t sent to other origins.')}
      />
    </>
  )
}

/** The threshold of a job is in minutes, of everything else in milliseconds. */
const MINUTE_MS = 60_000

function SlownessFields({ draft, set }: FieldsProps) {
  const isJob = draft.type === 'CRON'
  const unitMs = isJob ? MINUTE_MS : 1
  const { degradedThresholdMs: thresholdMs, degradedSamples } = draft
  const numberInput = (label: string, value: number | null, onValue: (value: number | null) => void, range: object) => (
    <input
      class="input inline-block w-24"
      type="number"
      aria-label={label}
      {...range}
      value={value === null ? '' : String(value)}
      onInput={({ currentTarget: { value: text } }) => onValue(text === '' ? null : Number(text))}
    />
  )
  const samples = (
    <FieldGroup path="degradedSamples" value={degradedSamples} class="inline-block">
      {numberInput(t('Number of checks'), degradedSamples, (count) => set({ degradedSamples: count }), {
        min: 1,
        max: 100,
        required: true,
      })}
    </FieldGroup>
  )
  const threshold = (
    <FieldGroup path="degradedThresholdMs" value={thresholdMs} class="inline-block">
      {numberInput(
        isJob ? t('Threshold in minutes') : t('Threshold in milliseconds'),
        thresholdMs === null ? null : thresholdMs / unitMs,
        (value) => set({ degradedThresholdMs: value === null ? null : Math.round(value * unitMs) }),
        isJob ? { min: 0.001, max: 1, step: 'any' } : { min: 1, max: MINUTE_MS },
      )}
    </FieldGroup>
  )
  return (
    <fieldset class="space-y-3">
      <legend class="mb-2 font-medium">{t('Slow responses')}</legend>
      <div class="leading-10">
        {isJob
          ? tx('Degraded when the last {samples} runs took longer than {threshold} minutes', { samples, threshold })
          : tx('Degraded when the last {samples} checks took longer than {threshold} ms', { samples, threshold })}
        <p class="text-xs leading-normal text-muted">{t('Leave the time empty to ignore slow responses.')}</p>
      </div>
      <SelectField
        label={t('Measure')}
        path="degradedThresholdMode"
        value={draft.degradedThresholdMode}
        onValue={(degradedThresholdMode) => set({ degradedThresholdMode })}
        choices={choicesOf({ LAST: t('Each of them'), P95: t('Their 95th percentile (p95)') })}
      />
    </fieldset>
  )
}
