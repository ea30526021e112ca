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

/** A message of the API with field names in words: "must be after startsAt" reads "Must be after start". */
export function readableMessage(message: string): string {
  return capital(message.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, fieldLabel))
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
