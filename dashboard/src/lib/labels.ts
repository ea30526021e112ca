import { t } from './i18n.ts'
import { monitorTypeForms } from './monitor-types.ts'

/** The words for enum values and field names of the API. No screen shows those names themselves. */

export const stateLabels = {
  UP: t('Up'),
  DEGRADED: t('Degraded'),
  DOWN: t('Down'),
  PAUSED: t('Paused'),
  PENDING: t('Pending'),
  MAINTENANCE: t('Maintenance'),
  INCONCLUSIVE: t('Inconclusive'),
} as const

export const monitorTypeLabels = Object.fromEntries(
  Object.entries(monitorTypeForms).map(([type, { label }]) => [type, label]),
) as Readonly<Record<keyof typeof monitorTypeForms, string>>

export const incidentStatusLabels = {
  INVESTIGATING: t('Investigating'),
  IDENTIFIED: t('Identified'),
  MONITORING: t('Monitoring'),
  RESOLVED: t('Resolved'),
} as const

export const impactLabels = {
  NONE: t('No impact'),
  MINOR: t('Minor impact'),
  MAJOR: t('Major impact'),
  CRITICAL: t('Critical impact'),
} as const

/** One component of a status page. */
export const componentStatusLabels = {
  MAJOR_OUTAGE: t('Major outage'),
  PARTIAL_OUTAGE: t('Partial outage'),
  DEGRADED: t('Degraded performance'),
  OPERATIONAL: t('Operational'),
} as const

/** A status page as a whole: the words of the public pages and badges. */
export const overallStatusLabels = {
  OPERATIONAL: t('All systems operational'),
  MAINTENANCE: t('Maintenance in progress'),
  DEGRADED: t('Degraded performance'),
  PARTIAL_OUTAGE: t('Partial outage'),
  MAJOR_OUTAGE: t('Major outage'),
} as const

export const windowStatusLabels = {
  IN_PROGRESS: t('In progress'),
  SCHEDULED: t('Scheduled'),
  COMPLETED: t('Completed'),
} as const

export const deliveryStatusLabels = { FAILED: t('Failed'), PENDING: t('Pending'), SUCCEEDED: t('Succeeded') } as const

const roleLabels = { OWNER: t('Owner'), ADMIN: t('Admin'), MEMBER: t('Member'), VIEWER: t('Viewer') } as const

export const planLabels = {
  FREE: t('Free'),
  STARTER: t('Starter'),
  PRO: t('Pro'),
  BUSINESS: t('Business'),
  SELF_HOSTED: t('Self-hosted'),
} as const

const channelLabels: Readonly<Record<string, string>> = {
  EMAIL: t('E-mail'),
  WEBHOOK: t('Webhook (JSON)'),
  TEAMS: t('Microsoft Teams'),
  PAGERDUTY: t('PagerDuty'),
  NTFY: 'ntfy',
}

/** "SLACK" reads "Slack". */
export function channelLabel(channel: string): string {
  return channelLabels[channel] ?? capital(channel.toLowerCase())
}

const fieldLabels: Readonly<Record<string, string>> = {
  startsAt: t('start'),
  endsAt: t('end'),
  expiresAt: t('expiry'),
  recurrenceEndsAt: t('end of the recurrence'),
  recurrenceInterval: t('repeat interval'),
  intervalSeconds: t('check interval'),
  timeoutSeconds: t('timeout'),
  graceSeconds: t('grace period'),
  expectedPeriodSec: t('expected period'),
  expectedStatus: t('expected status codes'),
  expectedStatusCodes: t('expected status codes'),
  degradedThresholdMs: t('degraded threshold'),
  degradedThresholdMode: t('degraded measure'),
  degradedSamples: t('sample size'),
  sslExpiryThresholdDays: t('expiry warning'),
  verifySsl: t('certificate validation'),
  keywordMatch: t('keyword rule'),
  dnsExpected: t('expected DNS values'),
  dnsAlertOnChange: t('alert on DNS changes'),
  monitorIds: t('monitors'),
  monitorId: t('monitor'),
  statusPageIds: t('status pages'),
  statusPageId: t('status page'),
  covers: t('monitors'),
  selector: t('label selector'),
  kinds: t('alert types'),
  eventTypes: t('events'),
  slug: t('address'),
  allMonitors: t('all monitors'),
  visibility: t('visibility'),
  timezone: t('time zone'),
  affectedMonitors: t('affected monitors'),
  subscribersEnabled: t('subscriptions'),
  notifySubscribers: t('subscriber notification'),
  faviconUrl: t('favicon'),
  logoUrl: t('logo'),
  overlapSeconds: t('overlap'),
  incidentId: t('linked incident'),
  startedAt: t('start'),
  postmortem: t('post-mortem'),
  locale: t('language'),
  historyDays: t('length of the history'),
  hideFromSearch: t('search engines'),
  daysOfWeek: t('weekdays'),
  daysOfMonth: t('days of the month'),
  attachContactIds: t('added contacts'),
  detachContactIds: t('removed contacts'),
}

const acronyms: Readonly<Record<string, string>> = {
  url: 'URL',
  api: 'API',
  id: 'ID',
  dns: 'DNS',
  ssl: 'SSL',
  ip: 'IP',
}

/** "retryCount" reads "retry count", "webhookUrl" reads "webhook URL". */
export function fieldLabel(name: string): string {
  const known = fieldLabels[name]
  if (known !== undefined) return known
  const words = name
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .split(' ')
  return words.map((word) => acronyms[word] ?? word).join(' ')
}

const enumLabels: Readonly<Record<string, string>> = {
  ...monitorTypeLabels,
  ...componentStatusLabels,
  ...incidentStatusLabels,
  ...windowStatusLabels,
  ...planLabels,
  ...channelLabels,
  ...roleLabels,
}

/** "MAJOR_OUTAGE" reads "Major outage". */
export function enumLabel(word: string): string {
  return enumLabels[word] ?? (word.includes('_') ? capital(word.replaceAll('_', ' ').toLowerCase()) : word)
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
