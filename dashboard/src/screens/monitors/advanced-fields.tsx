import { t } from '../../lib/i18n.ts'
import { CheckboxField, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { AuthFields } from './auth-fields.tsx'
import { EXPIRY_WARNING_DAYS, fieldsOf } from './draft.ts'
import { DurationField } from './duration-field.tsx'
import type { FieldsProps } from './target-fields.tsx'

/** Settings that most monitors leave at the default. */
export function AdvancedFields({ draft, set }: FieldsProps) {
  const fields = fieldsOf[draft.type]
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
              path="timeoutSeconds"
              value={draft.timeoutSeconds}
              onValue={(timeoutSeconds) => set({ timeoutSeconds })}
              min={1}
              max={60}
              hint={t('1 to 60 seconds')}
            />
          )}
          {fields.includes('sslExpiryThresholdDays') && (
            <NumberField
              label={t('Warn before expiry (days)')}
              path="sslExpiryThresholdDays"
              value={draft.sslExpiryThresholdDays}
              onValue={(sslExpiryThresholdDays) => set({ sslExpiryThresholdDays })}
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
            checked={draft.verifySsl}
            onValue={(verifySsl) => set({ verifySsl })}
          />
        )}
        {fields.includes('degradedThresholdMs') && <SlownessFields draft={draft} set={set} />}
      </div>
    </details>
  )
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function RequestFields({ draft, set }: FieldsProps) {
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-[8rem_1fr]">
        <SelectField
          label={t('Method')}
          path="method"
          value={draft.method}
          onValue={(method) => set({ method })}
          choices={methods.map((value) => ({ value, label: value }))}
        />
        <TextField
          label={t('Expected status codes')}
          path="expectedStatus"
          value={draft.expectedStatus}
          onValue={(expectedStatus) => set({ expectedStatus })}
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
      <AuthFields draft={draft} set={set} />
      <TextAreaField
        label={t('Request headers')}
        path="requestHeaders"
        value={draft.requestHeaders}
        onValue={(requestHeaders) => set({ requestHeaders })}
        rows={3}
        mono
        hint={t('One per line, as Name: value')}
      />
      {draft.method !== 'GET' && draft.method !== 'HEAD' && (
        <TextAreaField
          label={t('Request body')}
          path="requestBody"
          value={draft.requestBody}
          onValue={(requestBody) => set({ requestBody })}
          rows={4}
          maxLength={100_000}
          mono
        />
      )}
      <CheckboxField
        label={t('Follow redirects')}
        checked={draft.followRedirects}
        onValue={(followRedirects) => set({ followRedirects })}
        hint={t('Credentials, custom headers and the body aren’t sent to other origins.')}
      />
    </>
  )
}

function SlownessFields({ draft, set }: FieldsProps) {
  return (
    <fieldset class="grid grid-cols-[repeat(auto-fit,minmax(min(100%,14rem),1fr))] gap-4">
      <legend class="mb-2 font-medium">{t('Degraded when')}</legend>
      <NumberField
        label={t('Slower than (ms)')}
        path="degradedThresholdMs"
        value={draft.degradedThresholdMs}
        onValue={(degradedThresholdMs) => set({ degradedThresholdMs })}
        min={1}
        max={60_000}
        hint={t('Leave empty to ignore')}
      />
      <SelectField
        label={t('Measure')}
        path="degradedThresholdMode"
        value={draft.degradedThresholdMode}
        onValue={(degradedThresholdMode) => set({ degradedThresholdMode })}
        choices={[
          { value: 'LAST', label: t('All of the last checks') },
          { value: 'P95', label: t('p95 of the last checks') },
        ]}
      />
      <NumberField
        label={t('Sample size')}
        path="degradedSamples"
        value={draft.degradedSamples}
        onValue={(degradedSamples) => set({ degradedSamples })}
        min={1}
        max={100}
        required
      />
    </fieldset>
  )
}
