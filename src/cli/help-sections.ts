/** What stands after the words of the overview that have several commands. Others have a summary of their own. */
type Words = Readonly<Record<string, string>>

/** The overview: the first words of all commands. A word that is missing here is listed at the end. */
export const overviewSections: Readonly<Record<string, Words>> = {
  'Every day': {
    status: '',
    down: '',
    ack: '',
    monitors: 'Create, change, check and list monitors, their labels and settings',
    incidents: 'List detected outages, acknowledge them, write notes',
    contacts: 'Who is alerted, on which channel',
    windows: 'Maintenance windows',
    pages: 'Status pages',
    published: 'Incidents published on status pages',
    labels: 'List the labels in use',
    insight: 'Overview, wall board, alert coverage, uptime report',
  },
  'Configuration as code, and moving in': {
    export: '',
    validate: '',
    plan: '',
    apply: '',
    sources: '',
    discover: 'Find monitors in Docker or Kubernetes',
    import: 'Take monitors from another tool, and enable its contacts at the end',
    'import-history': '',
    shadow: 'Compare another tool with Pharos for a while',
  },
  'Cron jobs, webhooks and assistants': {
    run: '',
    webhooks: 'Webhook endpoints; forward events to your machine',
    deliveries: 'What was sent to webhook endpoints',
    events: 'List the event types',
    mcp: '',
    metrics: 'Metrics of all monitors for Prometheus',
  },
  'Connection and account (commands above use it: "pharos login", or PHAROS_URL and PHAROS_API_KEY)': {
    login: '',
    logout: '',
    whoami: '',
    usage: 'The plan and how much of it is used',
    'audit-log': 'Who changed what',
    completion: '',
  },
  "On the server's machine": {
    start: '',
    'setup-link': '',
    doctor: '',
    backup: '',
    migrate: '',
    keys: 'Create, list and revoke API keys',
    users: 'Create, list and remove users, reset passwords and second factors',
    orgs: 'Create, list and change organizations',
    'confirm-contact': '',
    'export-page': '',
    healthcheck: '',
  },
  'The API behind other commands': {
    configuration: 'Documents of configuration as code',
    imports: 'Uploads of another tool',
    'shadow-runs': 'Comparisons with another tool',
  },
}

/** The commands of large groups. A command that is missing here is listed at the end. */
export const groupSections: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  monitors: {
    Monitors: ['list', 'get', 'create', 'update', 'delete', 'pause', 'resume', 'check', 'try'],
    'What checks found': ['uptime', 'response-times', 'checks', 'heartbeats', 'details', 'evidence'],
    'Labels, mutes and several monitors': [
      ...['get-labels', 'set-labels', 'mute', 'unmute', 'get-mute', 'list-muted', 'bulk-change', 'bulk-update'],
    ],
    'Settings: set- keeps what is not named, remove- resets': [
      ...['request', 'assertions', 'dialogue', 'confirmation'].flatMap((name) => [
        `get-${name}`,
        `set-${name}`,
        `remove-${name}`,
      ]),
    ],
    'Notes, and settings of cron jobs': [
      ...['notes', 'schedule', 'legacy-address'].flatMap((name) => [`get-${name}`, `set-${name}`, `remove-${name}`]),
      'rotate-heartbeat-token',
    ],
  },
}
