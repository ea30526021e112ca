import type { PublicSchemas } from '../../api/client.ts'

export type MonitorType = PublicSchemas['Monitor']['type']

interface Kind {
  readonly value: MonitorType
  readonly label: string
  /** Description in the type picker. */
  readonly does: string
}

/** The eight types, most used first. */
export const monitorTypes: readonly Kind[] = [
  { value: 'HTTP', label: 'HTTP', does: 'Asks a web address and looks at the status it answers with.' },
  { value: 'KEYWORD', label: 'Keyword', does: 'Asks a web address and looks for a text in the answer.' },
  { value: 'PING', label: 'Ping', does: 'Sends echo requests to a host.' },
  { value: 'PORT', label: 'Port', does: 'Connects to a TCP port.' },
  { value: 'CRON', label: 'Cron job', does: 'Waits for a job to report; tells you when it does not.' },
  { value: 'DNS', label: 'DNS', does: 'Looks up records and tells you when they change.' },
  { value: 'SSL', label: 'Certificate', does: 'Looks at a TLS certificate and when it expires.' },
  { value: 'DOMAIN', label: 'Domain', does: 'Looks at when the registration of a domain expires.' },
]

const labels = new Map(monitorTypes.map(({ value, label }) => [value, label]))

export function typeLabel(type: MonitorType): string {
  return labels.get(type) ?? type
}

/** The target of a monitor; null for CRON. */
export function targetText({
  type,
  url,
  host,
  port,
}: Pick<PublicSchemas['Monitor'], 'type' | 'url' | 'host' | 'port'>): string | null {
  if (type === 'CRON') return null
  if (type === 'PING') return host
  if (type !== 'PORT') return url
  return host === null ? null : `${host.includes(':') ? `[${host}]` : host}:${port}`
}
