import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { CopyButton } from '../../ui/copy.tsx'

type DomainRecord = PublicSchemas['StatusPageDomain']['records'][number]

const purposes: Readonly<Record<DomainRecord['purpose'], string>> = {
  ADDRESS: t('Points the domain here'),
  PROOF: t('Verifies that you own the domain'),
  ADDRESS_AND_PROOF: t('Instead of both: one record that points here and verifies the domain'),
}

/** DNS records to copy into the settings of a domain. */
export function DomainRecords({ records }: { records: readonly DomainRecord[] }) {
  if (records.length === 0) return null
  return (
    <ul class="space-y-3" aria-label={t('DNS records')}>
      {records.map(({ purpose, type, name, value }) => (
        <li key={purpose} class="rounded-md border border-line bg-surface p-3">
          <p class="font-medium">{purposes[purpose]}</p>
          <dl class="mt-1 grid grid-cols-[auto_1fr_auto] items-center gap-x-3">
            <dt class="text-muted">{t('Type')}</dt>
            <dd class="col-span-2">{type}</dd>
            <Field label={t('Name')} text={name} />
            <Field label={t('Value')} text={value} />
          </dl>
        </li>
      ))}
    </ul>
  )
}

function Field({ label, text }: { label: string; text: string }) {
  return (
    <>
      <dt class="text-muted">{label}</dt>
      <dd class="min-w-0 break-all">
        <code>{text}</code>
      </dd>
      <dd>
        <CopyButton text={text} label={t('Copy {text}', { text })} />
      </dd>
    </>
  )
}
