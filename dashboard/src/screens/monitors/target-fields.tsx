import { t } from '../../lib/i18n.ts'
import { CheckboxField, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import type { Draft } from './draft.ts'
import { DurationField } from './duration-field.tsx'

export interface FieldsProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
}

/** The required fields of a type. */
export function TargetFields({ draft, set }: FieldsProps) {
  switch (draft.type) {
    case 'HTTP':
      return <Address draft={draft} set={set} placeholder="https://shop.example/health" />
    case 'KEYWORD':
      return <KeywordFields draft={draft} set={set} />
    case 'PING':
      return <Host draft={draft} set={set} />
    case 'PORT':
      return (
        <div class="grid gap-4 sm:grid-cols-[1fr_8rem]">
          <Host draft={draft} set={set} />
          <NumberField
            label={t('Port')}
            path="port"
            value={draft.port}
            onValue={(port) => set({ port })}
            min={1}
            max={65_535}
            required
          />
        </div>
      )
    case 'CRON':
      return <CronFields draft={draft} set={set} />
    case 'DNS':
      return <DnsFields draft={draft} set={set} />
    case 'SSL':
      return (
        <Address
          draft={draft}
          set={set}
          placeholder="shop.example"
          hint={t('A hostname, host:port or an https:// URL')}
        />
      )
    case 'DOMAIN':
      return (
        <Address draft={draft} set={set} placeholder="shop.example" hint={t('The registered domain or a URL on it')} />
      )
  }
}

function Address({ draft, set, placeholder, hint }: FieldsProps & { placeholder: string; hint?: string }) {
  return (
    <TextField
      label={draft.type === 'HTTP' || draft.type === 'KEYWORD' ? 'URL' : t('Hostname')}
      path="url"
      hint={hint}
      value={draft.url}
      onValue={(url) => set({ url })}
      inputMode="url"
      autocomplete="off"
      maxLength={2048}
      placeholder={placeholder}
      required
    />
  )
}

function Host({ draft, set }: FieldsProps) {
  return (
    <TextField
      label={t('Host')}
      path="host"
      value={draft.host}
      onValue={(host) => set({ host })}
      inputMode="url"
      autocomplete="off"
      maxLength={255}
      placeholder="db-1.example or 192.0.2.7"
      required
    />
  )
}

function KeywordFields({ draft, set }: FieldsProps) {
  return (
    <>
      <Address draft={draft} set={set} placeholder="https://shop.example/" />
      <div class="grid gap-4 sm:grid-cols-[14rem_1fr]">
        <SelectField
          label={t('Response')}
          path="keywordMatch"
          value={draft.keywordMatch}
          onValue={(keywordMatch) => set({ keywordMatch })}
          choices={[
            { value: 'EXISTS', label: t('Must contain') },
            { value: 'NOT_EXISTS', label: t('Must not contain') },
          ]}
        />
        <TextField
          label={t('Keyword')}
          path="keyword"
          value={draft.keyword}
          onValue={(keyword) => set({ keyword })}
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
    </>
  )
}

function CronFields({ draft, set }: FieldsProps) {
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <DurationField
        label={t('Expected every')}
        path="expectedPeriodSec"
        value={draft.expectedPeriodSec}
        onValue={(expectedPeriodSec) => set({ expectedPeriodSec })}
        min={60}
        max={2_592_000}
        hint={t('1 minute to 30 days')}
      />
      <DurationField
        label={t('Grace period')}
        path="graceSeconds"
        value={draft.graceSeconds}
        onValue={(graceSeconds) => set({ graceSeconds })}
        min={0}
        max={86_400}
        hint={t('How late a run may be before the monitor is down, up to 24 hours')}
      />
    </div>
  )
}

const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS'] as const

function DnsFields({ draft, set }: FieldsProps) {
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-[1fr_8rem]">
        <Address draft={draft} set={set} placeholder="shop.example" />
        <SelectField
          label={t('Record type')}
          path="dnsRecordType"
          value={draft.dnsRecordType}
          onValue={(dnsRecordType) => set({ dnsRecordType })}
          choices={recordTypes.map((value) => ({ value, label: value }))}
        />
      </div>
      <TextAreaField
        label={t('Expected values (optional)')}
        path="dnsExpected"
        value={draft.dnsExpected}
        onValue={(dnsExpected) => set({ dnsExpected })}
        rows={2}
        maxLength={2000}
        hint={t('Separated by commas or line breaks; all must be present')}
      />
      <CheckboxField
        label={t('Alert when the records change')}
        checked={draft.dnsAlertOnChange}
        onValue={(dnsAlertOnChange) => set({ dnsAlertOnChange })}
      />
    </>
  )
}
