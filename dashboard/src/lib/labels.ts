/** The words for enum values and field names of the API. No screen shows those names themselves. */

export const stateLabels = {
  UP: 'Up',
  DEGRADED: 'Degraded',
  DOWN: 'Down',
  PAUSED: 'Paused',
  PENDING: 'Pending',
  MAINTENANCE: 'Maintenance',
} as const

export const monitorTypeLabels = {
  HTTP: 'HTTP',
  KEYWORD: 'Keyword',
  PING: 'Ping',
  PORT: 'Port',
  CRON: 'Cron job',
  DNS: 'DNS',
  SSL: 'Certificate',
  DOMAIN: 'Domain',
} as const

export const incidentStatusLabels = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
} as const

export const impactLabels = {
  NONE: 'No impact',
  MINOR: 'Minor impact',
  MAJOR: 'Major impact',
  CRITICAL: 'Critical impact',
} as const

/** One component of a status page. */
export const componentStatusLabels = {
  MAJOR_OUTAGE: 'Major outage',
  PARTIAL_OUTAGE: 'Partial outage',
  DEGRADED: 'Degraded performance',
  OPERATIONAL: 'Operational',
} as const

/** A status page as a whole: the words of the public pages and badges. */
export const overallStatusLabels = {
  OPERATIONAL: 'All systems operational',
  MAINTENANCE: 'Maintenance in progress',
  DEGRADED: 'Degraded performance',
  PARTIAL_OUTAGE: 'Partial outage',
  MAJOR_OUTAGE: 'Major outage',
} as const

export const windowStatusLabels = {
  IN_PROGRESS: 'In progress',
  SCHEDULED: 'Scheduled',
  COMPLETED: 'Completed',
} as const

export const deliveryStatusLabels = { FAILED: 'Failed', PENDING: 'Pending', SUCCEEDED: 'Succeeded' } as const

const roleLabels = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member', VIEWER: 'Viewer' } as const

export const planLabels = {
  FREE: 'Free',
  STARTER: 'Starter',
  PRO: 'Pro',
  BUSINESS: 'Business',
  SELF_HOSTED: 'Self-hosted',
} as const

const channelLabels: Readonly<Record<string, string>> = {
  EMAIL: 'E-mail',
  WEBHOOK: 'Webhook (JSON)',
  TEAMS: 'Microsoft Teams',
  PAGERDUTY: 'PagerDuty',
  NTFY: 'ntfy',
}

/** "SLACK" reads "Slack". */
export function channelLabel(channel: string): string {
  return channelLabels[channel] ?? capital(channel.toLowerCase())
}

const fieldLabels: Readonly<Record<string, string>> = {
  startsAt: 'start',
  endsAt: 'end',
  expiresAt: 'expiry',
  recurrenceEndsAt: 'end of the recurrence',
  recurrenceInterval: 'repeat interval',
  intervalSeconds: 'check interval',
  timeoutSeconds: 'timeout',
  graceSeconds: 'grace period',
  expectedPeriodSec: 'expected period',
  expectedStatus: 'expected status codes',
  expectedStatusCodes: 'expected status codes',
  degradedThresholdMs: 'degraded threshold',
  degradedThresholdMode: 'degraded measure',
  degradedSamples: 'sample size',
  sslExpiryThresholdDays: 'expiry warning',
  verifySsl: 'certificate validation',
  keywordMatch: 'keyword rule',
  dnsExpected: 'expected DNS values',
  dnsAlertOnChange: 'alert on DNS changes',
  monitorIds: 'monitors',
  monitorId: 'monitor',
  statusPageIds: 'status pages',
  statusPageId: 'status page',
  coversAll: 'monitors',
  kinds: 'alert types',
  eventTypes: 'events',
  slug: 'address',
  timezone: 'time zone',
  affectedMonitors: 'affected monitors',
  subscribersEnabled: 'subscriptions',
  notifySubscribers: 'subscriber notification',
  faviconUrl: 'favicon',
  logoUrl: 'logo',
  overlapSeconds: 'overlap',
  incidentId: 'linked incident',
  startedAt: 'start',
  postmortem: 'post-mortem',
  locale: 'language',
  historyDays: 'length of the history',
  hideFromSearch: 'search engines',
  daysOfWeek: 'weekdays',
  daysOfMonth: 'days of the month',
  attachContactIds: 'added contacts',
  detachContactIds: 'removed contacts',
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

/** "MAJOR_OUTAGE" reads "Major outage". Names of environment variables stay: the operator needs them. */
function enumLabel(word: string): string {
  if (word.startsWith('PHAROS_')) return word
  return enumLabels[word] ?? (word.includes('_') ? capital(word.replaceAll('_', ' ').toLowerCase()) : word)
}

/** A message of the API without names of fields and enum values: "must be after startsAt" reads "Must be after start". */
export function readableMessage(message: string): string {
  const [, needed, own] = /takes the role (\w+) or more; yours is (\w+)/.exec(message) ?? []
  if (needed !== undefined && own !== undefined) {
    return `You need the ${enumLabel(needed)} role for this. You have the ${enumLabel(own)} role; ask an admin to change it.`
  }
  const words = message
    .replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, fieldLabel)
    .replaceAll(/\b[A-Z]+(?:_[A-Z]+)*\b/g, enumLabel)
    .replaceAll(/\bslug\b/g, 'address')
  return capital(words)
}

/** The message of an error. A fault of a field that the form does not have names the field: "Check interval must be …". */
export function readableError(message: string, details: readonly { path: string; message: string }[] = []): string {
  const [fault] = details
  if (fault === undefined || !message.startsWith(fault.path)) return readableMessage(message)
  const field = fault.path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  return `${capital(fieldLabel(field))} ${readableMessage(fault.message).replace(/^./, (first) => first.toLowerCase())}${more}`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
