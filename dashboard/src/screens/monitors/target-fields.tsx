import { t } from '../../lib/i18n.ts'
import { CheckboxField, NumberField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import type { Draft } from './draft.ts'
import { DurationField } from './duration-field.tsx'
import { type Field, hasField, type MonitorType, typeForms } from './types.ts'

export interface FieldsProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
}

/** The required fields of a type, and those that belong to them. */
export function TargetFields({ draft, set }: FieldsProps) {
  const { url } = typeForms[draft.type]
  const has = (field: Field) => hasField(draft.type, field)
  const target = url ? <Address draft={draft} set={set} {...url} /> : has('host') && <Host draft={draft} set={set} />
  const beside = has('port') ? (
    <Port draft={draft} set={set} />
  ) : (
    has('dnsRecordType') && <RecordType draft={draft} set={set} />
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
      {has('expectedPeriodSec') && <CronFields draft={draft} set={set} />}
      {has('dnsExpected') && <DnsFields draft={draft} set={set} />}
    </>
  )
}

type AddressProps = FieldsProps & NonNullable<(typeof typeForms)[MonitorType]['url']>

function Address({ draft, set, label, placeholder, hint }: AddressProps) {
  return (
    <TextField
      label={label}
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

function Port({ draft, set }: FieldsProps) {
  return (
    <NumberField
      label={t('Port')}
      path="port"
      value={draft.port}
      onValue={(port) => set({ port })}
      min={1}
      max={65_535}
      required
    />
  )
}

function KeywordFields({ draft, set }: FieldsProps) {
  return (
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

function RecordType({ draft, set }: FieldsProps) {
  return (
    <SelectField
      label={t('Record type')}
      path="dnsRecordType"
      value={draft.dnsRecordType}
      onValue={(dnsRecordType) => set({ dnsRecordType })}
      choices={recordTypes.map((value) => ({ value, label: value }))}
    />
  )
}

function DnsFields({ draft, set }: FieldsProps) {
  return (
    <>
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
