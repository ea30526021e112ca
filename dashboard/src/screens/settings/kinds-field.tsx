import type { PublicSchemas } from '../../api/client.ts'
import { t, tx } from '../../lib/i18n.ts'
import { CheckboxField } from '../../ui/form.tsx'

interface KindsFieldProps {
  readonly value: readonly AlertKind[]
  readonly onValue: (kinds: readonly AlertKind[]) => void
}

/** Alert types of a contact; collapsed, because most contacts get all. */
export function KindsField({ value: kinds, onValue }: KindsFieldProps) {
  return (
    <details class="rounded-md border border-line px-3 py-1">
      <summary class="touch cursor-pointer py-1">
        {tx('Alerts: {part}', {
          part: (
            <span class="text-muted">
              {kinds.length === alertKinds.length
                ? t('all')
                : t('{chosen} of {all}', { chosen: kinds.length, all: alertKinds.length })}
            </span>
          ),
        })}
      </summary>
      <fieldset class="pb-2">
        <legend class="sr-only">{t('Alert types')}</legend>
        {alertKinds.map(({ kind, name }) => (
          <CheckboxField
            key={kind}
            label={name}
            value={kinds.includes(kind)}
            onValue={(isOn) => onValue(isOn ? [...kinds, kind] : kinds.filter((other) => other !== kind))}
          />
        ))}
      </fieldset>
    </details>
  )
}

export type AlertKind = PublicSchemas['Contact']['kinds'][number]

/** Kinds of alerts, most important first. */
export const alertKinds: readonly { readonly kind: AlertKind; readonly name: string }[] = [
  { kind: 'OPENED', name: t('Monitor goes down') },
  { kind: 'RESOLVED', name: t('Monitor recovers') },
  { kind: 'DEGRADED', name: t('Monitor is degraded') },
  { kind: 'RECOVERED', name: t('Monitor is no longer degraded') },
  { kind: 'CERTIFICATE_EXPIRING', name: t('Certificate expires soon') },
  { kind: 'DOMAIN_EXPIRING', name: t('Domain expires soon') },
  { kind: 'DNS_CHANGED', name: t('DNS records change') },
  { kind: 'ENDPOINT_DISABLED', name: t('Webhook endpoint disabled after failures') },
  { kind: 'NETWORK_DOWN', name: t("Pharos's own network is down") },
  { kind: 'ACKNOWLEDGED', name: t('Incident acknowledged') },
]

/** "All alerts" or a list of kinds. */
export function describeKinds(kinds: readonly AlertKind[]): string {
  if (kinds.length === alertKinds.length) return t('All alerts')
  const names = alertKinds.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)
  const [first = t('No alerts'), ...rest] = names
  return rest.length === 0 ? first : t('{first} and {length} more', { first, length: rest.length })
}
