import type { AppSchemas } from '../../api/client.ts'

export type AlertKind = AppSchemas['Contact']['kinds'][number]

/** Kinds of alerts, most important first. */
export const alertKinds: readonly { readonly kind: AlertKind; readonly name: string }[] = [
  { kind: 'opened', name: 'A monitor goes down' },
  { kind: 'resolved', name: 'It is up again' },
  { kind: 'degraded', name: 'A monitor gets slow' },
  { kind: 'recovered', name: 'It is fast again' },
  { kind: 'certificate_expiring', name: 'A certificate is about to expire' },
  { kind: 'domain_expiring', name: 'A domain is about to expire' },
  { kind: 'dns_changed', name: 'DNS records change' },
  { kind: 'endpoint_disabled', name: 'A webhook endpoint is switched off after failing' },
]

/** "everything" or a list of kinds. */
export function describeKinds(kinds: readonly AlertKind[]): string {
  if (kinds.length === alertKinds.length) return 'Every kind of alert'
  const names = alertKinds.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)
  const [first = 'Nothing', ...rest] = names
  return rest.length === 0 ? first : `${first}, and ${rest.length} more ${rest.length === 1 ? 'kind' : 'kinds'}`
}
