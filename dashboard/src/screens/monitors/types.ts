import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { monitorTypeLabels } from '../../lib/labels.ts'

export type MonitorType = PublicSchemas['Monitor']['type']

interface Kind {
  readonly value: MonitorType
  readonly label: string
  /** Description in the type picker. */
  readonly does: string
}

/** The eight types, most used first. */
export const monitorTypes: readonly Kind[] = [
  { value: 'HTTP', label: monitorTypeLabels.HTTP, does: t('Requests a URL and checks the status code.') },
  {
    value: 'KEYWORD',
    label: monitorTypeLabels.KEYWORD,
    does: t('Requests a URL and looks for a keyword in the response.'),
  },
  { value: 'PING', label: monitorTypeLabels.PING, does: t('Pings a host (ICMP).') },
  { value: 'PORT', label: monitorTypeLabels.PORT, does: t('Connects to a TCP port.') },
  {
    value: 'CRON',
    label: monitorTypeLabels.CRON,
    does: t('Expects heartbeats from a job and alerts when one is missing.'),
  },
  { value: 'DNS', label: monitorTypeLabels.DNS, does: t('Checks DNS records and alerts when they change.') },
  { value: 'SSL', label: monitorTypeLabels.SSL, does: t('Checks an SSL certificate and alerts before it expires.') },
  { value: 'DOMAIN', label: monitorTypeLabels.DOMAIN, does: t('Alerts before a domain registration expires.') },
]

export function typeLabel(type: MonitorType): string {
  return monitorTypeLabels[type]
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
