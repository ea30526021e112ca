import type { resources } from '../../../clients/typescript/src/resources.ts'
import { durationText } from '../../lib/duration.ts'
import { displayTime } from '../command.ts'
import { type Column, type Row, words } from './display.ts'

export interface Group {
  /** As typed: `pharos windows list`. */
  readonly name: string
  /** What the list contains, for sentences; the name of the group by default. */
  readonly plural?: string
  /** Its methods in the client become commands. */
  readonly resource: keyof typeof resources
  /** The columns of its list. Lists without show all fields. */
  readonly columns?: readonly Column[]
  /** Fields that are shown after a change, if the answer has them. */
  readonly shows?: readonly string[]
  /** The group is one command, with the name of the group. */
  readonly isOneCommand?: boolean
  /** Its line in the overview of all commands, which does not read the document of the API. */
  readonly summary?: string
  /** What is shown of an answer, if not its fields. */
  readonly details?: (answer: Row) => Row
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
      ['RESPONSE', 'lastResponseMs'],
      ['LAST CHECK', 'lastCheckedAt'],
      ['TARGET', targetOf],
    ],
    shows: ['state', 'heartbeatUrl'],
    isWatched: true,
    examples: {
      list: [
        'pharos monitors list --state down,degraded --watch',
        'pharos monitors list --q shop --labels env=prod --columns name,state,lastResponseMs',
        'pharos monitors list --all --json',
      ],
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
      mute: ['pharos monitors mute mon_… --until +4h'],
      bulkChange: [
        'pharos monitors bulk-change --action pause --monitor-ids mon_…,mon_…',
        'pharos monitors bulk-change --action label --labels team=checkout --monitor-ids mon_…',
      ],
      bulkUpdate: ['pharos monitors bulk-update --interval-seconds 60 --monitor-ids mon_…,mon_…'],
    },
  },
  {
    name: 'labels',
    resource: 'labels',
    columns: [
      ['LABEL', 'label'],
      ['MONITORS', 'monitors'],
      ['VALUES', valuesOf],
    ],
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
      addNote: ['pharos incidents add-note inc_… --body "Rolled back the deployment."'],
    },
  },
  {
    name: 'pages',
    plural: 'status pages',
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
      setLogo: ['pharos pages set-logo page_… --image "$(base64 -w0 logo.png)"'],
    },
  },
  {
    name: 'windows',
    plural: 'maintenance windows',
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
    plural: 'published incidents',
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
        'pharos published create --title "Slow checkout" --impact minor --status-page-ids page_… \\\n' +
          '    --message "We are looking into slow responses." --no-notify-subscribers',
      ],
      postUpdate: ['pharos published post-update sinc_… --status resolved --message "The problem is fixed."'],
    },
  },
  {
    name: 'webhooks',
    plural: 'webhook endpoints',
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
    plural: 'webhook deliveries',
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
  {
    name: 'shadow-runs',
    plural: 'shadow runs',
    resource: 'shadowRuns',
    summary: 'Comparisons with another tool after an import',
    columns: [
      ['ID', 'id'],
      ['TOOL', 'tool'],
      ['MATCHED', 'matched'],
      ['STARTED', 'startedAt'],
      ['ENDED', 'endedAt'],
      ['LAST ERROR', 'lastError'],
    ],
  },
  {
    name: 'contacts',
    resource: 'contacts',
    columns: [
      ['ID', 'id'],
      ['CHANNEL', 'channel'],
      ['ENABLED', 'enabled'],
      ['CONFIRMED', 'confirmed'],
      ['COVERS', ({ covers, selector }) => (covers === 'LABELS' ? selector : words(String(covers)))],
      ['LAST SENT', 'lastSentAt'],
      ['NAME', 'name'],
    ],
    examples: {
      create: [
        `pharos contacts create --name "On call" --channel email --settings '{"address":"on-call@example.com"}'`,
        'pharos contacts create --name Web --channel ntfy --settings @ntfy.json --covers labels --selector team=web',
      ],
    },
  },
  { name: 'configuration', resource: 'configuration' },
  {
    name: 'imports',
    resource: 'imports',
    columns: [
      ['ID', 'id'],
      ['TOOL', 'source'],
      ['CREATED', 'createdAt'],
      ['APPLIED', 'appliedAt'],
    ],
  },
  { name: 'insight', resource: 'insight' },
  {
    name: 'whoami',
    resource: 'me',
    isOneCommand: true,
    summary: 'Get the API key, its organization and the limits of the plan',
    details: describeMe,
  },
  { name: 'usage', resource: 'usage' },
  { name: 'metrics', resource: 'metrics' },
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

function valuesOf({ value, values, hasMoreValues }: Row): unknown {
  if (!Array.isArray(values)) return value
  const shown = values.map((each: { value: string }) => each.value || '""')
  return [...shown, ...(hasMoreValues ? ['…'] : [])].join(', ')
}

function durationOf({ durationSec, startedAt }: Row): string {
  return durationText(typeof durationSec === 'number' ? durationSec * 1000 : Date.now() - Date.parse(String(startedAt)))
}

function describeMe({ key, organization, plan, limits }: Row): Row {
  const { name, hint, access, expiresAt } = (key ?? {}) as Row
  const { name: orgName, slug } = organization as Row
  return {
    key: `${name} (ends with ${hint})`,
    access: words(String(access)),
    ...(expiresAt === null ? {} : { expires: displayTime(String(expiresAt)) }),
    organization: `${orgName} (${slug})`,
    plan: words(String(plan)),
    limits,
  }
}

/** "published incident" for `published`. */
export function nounOf({ name }: Group): string {
  return pluralOf(name).replace(/s$/, '')
}

/** "published incidents" for `published`; other names are words already. */
export function pluralOf(name: string): string {
  return groups.find((group) => group.name === name)?.plural ?? name
}
