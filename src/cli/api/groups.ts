import type { resources } from '../../../clients/typescript/src/resources.ts'
import { type Column, type Row, words } from './display.ts'

export interface Group {
  /** As typed: `pharos windows list`. */
  readonly name: string
  /** Its methods in the client become commands. */
  readonly resource: keyof typeof resources
  /** The columns of its list. Other lists show all fields. */
  readonly columns: readonly Column[]
  /** Fields that are shown after a change, if the answer has them. */
  readonly shows?: readonly string[]
  /** Lists that change while one looks at them. */
  readonly isWatched?: boolean
  /** Command lines for the help, by the method of the client. */
  readonly examples?: Readonly<Record<string, readonly string[]>>
}

/** The commands over the API. A new method of a resource appears as a command without an entry here. */
export const groups: readonly Group[] = [
  {
    name: 'monitors',
    resource: 'monitors',
    columns: [
      ['ID', 'id'],
      ['STATE', 'state'],
      ['NAME', 'name'],
      ['TYPE', 'type'],
      ['RESPONSE', ({ lastResponseMs: ms }) => (typeof ms === 'number' ? `${ms} ms` : null)],
      ['LAST CHECK', 'lastCheckedAt'],
      ['TARGET', targetOf],
    ],
    shows: ['state', 'heartbeatUrl'],
    isWatched: true,
    examples: {
      list: ['pharos monitors list --watch', 'pharos monitors list --all --json'],
      try: ['pharos monitors try --type http --name Shop --url https://shop.example.com'],
      checks: ['pharos monitors checks mon_… --state down --from -7d'],
      uptime: ['pharos monitors uptime mon_… --span 30d', 'pharos monitors uptime mon_… --from -3d --to -1d'],
      create: [
        'pharos monitors create --type http --name Shop --url https://shop.example.com --interval-seconds 60',
        'pharos monitors create --type port --name Database --host db.internal --port 5432',
        'pharos monitors create --body @monitor.json',
      ],
      update: [
        'pharos monitors update mon_… --timeout-seconds 10 --no-verify-ssl',
        'pharos monitors update mon_… --request-headers "Accept: text/html" --request-headers "X-Team: web"',
        'pharos monitors update mon_… --no-degraded-threshold-ms',
      ],
    },
  },
  {
    name: 'incidents',
    resource: 'incidents',
    columns: [
      ['ID', 'id'],
      ['STATUS', ({ resolvedAt }) => (resolvedAt === null ? 'Ongoing' : 'Resolved')],
      ['MONITOR', 'monitor.name'],
      ['STARTED', 'startedAt'],
      ['DURATION', durationOf],
      ['ACKNOWLEDGED', 'acknowledged'],
      ['CAUSE', 'cause'],
    ],
    isWatched: true,
    examples: {
      list: ['pharos incidents list --status ongoing --watch', 'pharos incidents list --started-after -7d --all'],
    },
  },
  {
    name: 'pages',
    resource: 'statusPages',
    columns: [
      ['ID', 'id'],
      ['STATUS', 'overallStatus'],
      ['PUBLISHED', 'published'],
      ['NAME', 'name'],
      ['URL', 'url'],
    ],
    shows: ['url'],
    examples: {
      create: [
        'pharos pages create --name "Shop status" --sections \'[{"name":"Shop","monitors":[{"monitorId":"mon_…"}]}]\'',
        'pharos pages create --name Internal --visibility password --password "$PASSWORD" --sections @sections.json',
      ],
    },
  },
  {
    name: 'windows',
    resource: 'maintenanceWindows',
    columns: [
      ['ID', 'id'],
      ['STATUS', 'status'],
      ['STARTS', 'startsAt'],
      ['ENDS', 'endsAt'],
      ['REPEATS', ({ recurrence }) => (recurrence === 'NONE' ? 'no' : words(String(recurrence)))],
      ['NAME', 'name'],
    ],
    shows: ['startsAt', 'endsAt'],
    examples: {
      create: [
        'pharos windows create --name Upgrade --starts-at now --ends-at +2h --monitor-ids mon_…,mon_…',
        'pharos windows create --name Backup --starts-at 2027-01-31T02:00 --ends-at 2027-01-31T03:00 \\\n' +
          '    --recurrence daily --timezone Europe/Berlin --all-monitors',
      ],
    },
  },
  {
    name: 'published',
    resource: 'publishedIncidents',
    columns: [
      ['ID', 'id'],
      ['STATUS', 'status'],
      ['IMPACT', 'impact'],
      ['STARTED', 'startedAt'],
      ['TITLE', 'title'],
    ],
    shows: ['status'],
    examples: {
      create: [
        'pharos published create --title "Slow checkout" --impact minor --status-page-ids sp_… \\\n' +
          '    --message "We are looking into slow responses." --no-notify-subscribers',
      ],
      postUpdate: ['pharos published post-update pin_… --status resolved --message "The problem is fixed."'],
    },
  },
  {
    name: 'webhooks',
    resource: 'webhookEndpoints',
    columns: [
      ['ID', 'id'],
      ['ENABLED', 'enabled'],
      ['LAST DELIVERY', 'lastDeliveryAt'],
      ['EVENTS', ({ eventTypes }) => String(eventTypes).replace(/^\*$/, 'all').replaceAll(',', ', ')],
      ['URL', 'url'],
    ],
    shows: ['secret', 'previousSecretExpiresAt'],
    examples: {
      create: [
        'pharos webhooks create --url https://hooks.example.com/pharos --event-types incident.opened,incident.resolved',
      ],
    },
  },
  {
    name: 'deliveries',
    resource: 'webhookDeliveries',
    columns: [
      ['ID', 'id'],
      ['STATUS', 'status'],
      ['EVENT', 'eventType'],
      ['ATTEMPTS', 'attemptCount'],
      ['RESPONSE', 'lastResponseStatus'],
      ['NEXT ATTEMPT', 'nextAttemptAt'],
      ['CREATED', 'createdAt'],
    ],
    isWatched: true,
    examples: { list: ['pharos deliveries list --status failed --created-after -1d'] },
  },
  {
    name: 'events',
    resource: 'webhookEvents',
    columns: [
      ['EVENT', 'type'],
      ['SENT WHEN', 'description'],
    ],
  },
  { name: 'usage', resource: 'usage', columns: [] },
  { name: 'metrics', resource: 'metrics', columns: [] },
  {
    name: 'audit-log',
    resource: 'auditLog',
    columns: [
      ['TIME', 'at'],
      ['WHO', 'actor.name'],
      ['ACTION', 'action'],
      ['TARGET', ({ targetName, target }) => targetName ?? target],
      ['FIELDS', 'fields'],
    ],
    examples: { list: ['pharos audit-log list --since -1d --all', 'pharos audit-log list --target mon_…'] },
  },
]

function targetOf({ url, host, port }: Row): unknown {
  return url ?? (port === null ? host : `${host}:${port}`)
}

function durationOf({ durationSec, startedAt }: Row): string {
  const seconds = typeof durationSec === 'number' ? durationSec : (Date.now() - Date.parse(String(startedAt))) / 1000
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return `${Math.max(0, Math.floor(seconds))} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
