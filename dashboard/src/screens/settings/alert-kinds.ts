import type { AppSchemas } from '../../api/client.ts'

export type AlertKind = AppSchemas['Contact']['kinds'][number]

/** Kinds of alerts, most important first. */
export const alertKinds: readonly { readonly kind: AlertKind; readonly name: string }[] = [
  { kind: 'opened', name: 'Monitor goes down' },
  { kind: 'resolved', name: 'Monitor recovers' },
  { kind: 'degraded', name: 'Monitor is degraded' },
  { kind: 'recovered', name: 'Monitor is no longer degraded' },
  { kind: 'certificate_expiring', name: 'Certificate expires soon' },
  { kind: 'domain_expiring', name: 'Domain expires soon' },
  { kind: 'dns_changed', name: 'DNS records change' },
  { kind: 'endpoint_disabled', name: 'Webhook endpoint disabled after failures' },
]

/** "All alerts" or a list of kinds. */
export function describeKinds(kinds: readonly AlertKind[]): string {
  if (kinds.length === alertKinds.length) return 'All alerts'
  const names = alertKinds.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)
  const [first = 'No alerts', ...rest] = names
  return rest.length === 0 ? first : `${first} and ${rest.length} more`
}
