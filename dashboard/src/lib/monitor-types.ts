import { t } from './i18n.ts'

/** How a monitor type is shown, and which settings its form has. */
export interface MonitorTypeForm<Field extends string = string> {
  readonly label: string
  /** In the type picker. */
  readonly description: string
  /** The settings that the form shows and sends. */
  readonly fields: readonly Field[]
  /** How the form asks for the URL. */
  readonly url?: { readonly label: string; readonly placeholder: string; readonly hint?: string }
  /** What a success is called, if not "Responded". */
  readonly success?: string
  /** What expires, if a near expiry makes the monitor degraded. */
  readonly expires?: string
}

const web = [
  'url',
  'method',
  'expectedStatus',
  'requestHeaders',
  'requestBody',
  'followRedirects',
  'verifySsl',
  'sslExpiryThresholdDays',
] as const
const slowness = ['degradedThresholdMs', 'degradedThresholdMode', 'degradedSamples'] as const
const pace = ['intervalSeconds', 'timeoutSeconds'] as const

/** The types, most used first. That none is missing is checked in screens/monitors/types.ts. */
export const monitorTypeForms = {
  HTTP: {
    label: 'HTTP',
    description: t('Requests a URL and checks the status code.'),
    fields: [...web, ...pace, ...slowness],
    url: { label: 'URL', placeholder: 'https://shop.example/health' },
  },
  KEYWORD: {
    label: t('Keyword'),
    description: t('Requests a URL and looks for a keyword in the response.'),
    fields: [...web, 'keyword', 'keywordMatch', ...pace, ...slowness],
    url: { label: 'URL', placeholder: 'https://shop.example/' },
  },
  PING: {
    label: t('Ping'),
    description: t('Pings a host (ICMP).'),
    fields: ['host', ...pace, ...slowness],
    success: t('Replied'),
  },
  PORT: {
    label: t('Port'),
    description: t('Connects to a TCP port.'),
    fields: ['host', 'port', ...pace, ...slowness],
    success: t('Connected'),
  },
  CRON: {
    label: t('Cron job'),
    description: t('Expects heartbeats from a job and alerts when one is missing.'),
    fields: ['expectedPeriodSec', 'graceSeconds', ...slowness],
  },
  DNS: {
    label: 'DNS',
    description: t('Checks DNS records and alerts when they change.'),
    fields: ['url', 'dnsRecordType', 'dnsExpected', 'dnsAlertOnChange', ...pace, ...slowness],
    url: { label: t('Hostname'), placeholder: 'shop.example' },
    success: t('Answered'),
  },
  SSL: {
    label: t('Certificate'),
    description: t('Checks an SSL certificate and alerts before it expires.'),
    fields: ['url', 'verifySsl', 'sslExpiryThresholdDays', ...pace],
    url: {
      label: t('Hostname'),
      placeholder: 'shop.example',
      hint: t('A hostname, host:port or an https:// URL'),
    },
    expires: t('The certificate'),
  },
  DOMAIN: {
    label: t('Domain'),
    description: t('Alerts before a domain registration expires.'),
    fields: ['url', 'sslExpiryThresholdDays', ...pace],
    url: { label: t('Hostname'), placeholder: 'shop.example', hint: t('The registered domain or a URL on it') },
    expires: t('The domain'),
  },
} as const satisfies Record<string, MonitorTypeForm>
