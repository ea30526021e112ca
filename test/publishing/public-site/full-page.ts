import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import type { TestServer } from '../../support/server.ts'
import {
  type ApiObject,
  addDailyRollups,
  addHourlyRollups,
  createMonitor,
  type DayDurations,
  publishIncident,
  setMonitorState,
} from './fixtures.ts'

export interface FullPage {
  readonly page: ApiObject
  readonly monitorId: string
  readonly incidentId: string
  readonly pastIncidentId: string
}

type Kind = 'OPERATIONAL' | 'MAJOR_OUTAGE' | 'DEGRADED' | 'MAINTENANCE' | 'PAUSED' | 'new'

const systems: readonly (readonly [section: string, name: string, kind: Kind])[] = [
  ['Storefront', 'Website', 'OPERATIONAL'],
  ['Storefront', 'Checkout', 'MAJOR_OUTAGE'],
  ['Storefront', 'Search', 'DEGRADED'],
  ['API', 'REST API', 'OPERATIONAL'],
  ['API', 'Webhooks', 'MAINTENANCE'],
  ['API', 'Reports', 'new'],
  ['Infrastructure', 'Image delivery', 'OPERATIONAL'],
  ['Infrastructure', 'Legacy import', 'PAUSED'],
]

/** Creates a page with every kind of content. */
export async function createFullPage(server: TestServer, now: number, fields: object = {}): Promise<FullPage> {
  const client = server.client()
  const ids = new Map<string, string>()
  for (const [i, [, name, kind]] of systems.entries()) {
    const id = await createMonitor(client, name)
    ids.set(name, id)
    await addDailyRollups(server, id, kind === 'new' ? 12 : 120, now, (back) =>
      kind === 'new' ? {} : durationsOf(i, back, kind),
    )
    await addHourlyRollups(server, id, 170, now, (back) => (back % 50 === 40 ? null : 92 + ((i + back) % 9)))
    const state = kind === 'MAJOR_OUTAGE' ? 'DOWN' : kind === 'DEGRADED' || kind === 'PAUSED' ? kind : 'UP'
    await setMonitorState(server, id, state, now - 4 * MINUTE_MS, 84 + ((i * 137) % 300))
  }
  const id = (name: string): string => ids.get(name) as string
  const sections = ['Storefront', 'API', 'Infrastructure'].map((section) => ({
    name: section,
    monitors: systems.filter(([its]) => its === section).map(([, name]) => ({ monitorId: id(name) })),
  }))
  const settings = {
    name: 'Acme Cloud',
    description: 'Live status of the Acme storefront, its API and everything behind them.',
    homepageUrl: 'https://example.com/',
    contactUrl: 'https://example.com/help',
    timezone: 'Europe/Berlin',
    showResponseTimes: true,
    sections,
    ...fields,
  }
  const { body: page } = await client.post('/status-pages', settings)
  const incidents = await publishIncidents(server, page.id, id, now)
  return { page, monitorId: id('Checkout'), ...incidents }
}

async function publishIncidents(server: TestServer, pageId: string, id: (name: string) => string, now: number) {
  const client = server.client()
  const at = (ms: number): string => new Date(ms).toISOString()
  const past = await publishIncident(client, pageId, {
    title: 'Slow image delivery in Europe',
    message: 'Images load slowly for visitors in Europe.',
    impact: 'MINOR',
    startedAt: at(now - 5 * DAY_MS),
    affectedMonitors: [{ monitorId: id('Image delivery'), status: 'DEGRADED' }],
  })
  const resolved = 'A cache node had run full and was taken out. Images load at their usual speed again.'
  await client.post(`/status-incidents/${past.id}/updates`, { status: 'RESOLVED', message: resolved })
  await client.patch(`/status-incidents/${past.id}`, { postmortem })
  const active = await publishIncident(client, pageId, {
    title: 'Payments fail for some cards',
    message: 'Some payments fail. We are looking into it.',
    impact: 'MAJOR',
    startedAt: at(now - 47 * MINUTE_MS),
    affectedMonitors: [{ monitorId: id('Checkout'), status: 'MAJOR_OUTAGE' }],
  })
  const identified = 'A deploy changed how we talk to the card processor. We are **rolling it back** now.'
  await client.post(`/status-incidents/${active.id}/updates`, { status: 'IDENTIFIED', message: identified })
  const windows = [
    {
      name: 'Webhook queue upgrade',
      from: now - 20 * MINUTE_MS,
      to: now + 40 * MINUTE_MS,
      monitorIds: [id('Webhooks')],
    },
    { name: 'Database move', from: now + 3 * DAY_MS, to: now + 3 * DAY_MS + 2 * HOUR_MS, allMonitors: true },
  ]
  for (const { from, to, ...window } of windows) {
    const description = 'Deliveries are delayed by a few minutes; none is lost.'
    await client.post('/maintenance-windows', { ...window, description, startsAt: at(from), endsAt: at(to) })
  }
  return { incidentId: active.id as string, pastIncidentId: past.id as string }
}

const postmortem = `# What happened

A cache node ran out of disk, and the *health check* still called it healthy.

## What we changed

- The check now writes a file.
- Nodes leave the pool at 90 % of their disk.

\`\`\`
df -h /var/cache
\`\`\`
`

/** Deterministic, and different for every monitor. */
function durationsOf(i: number, back: number, kind: Kind): DayDurations {
  if (kind === 'PAUSED' && back < 9) return { pausedMs: DAY_MS }
  const dice = (i * 7919 + back * 104_729) % 997
  if (dice < 9) return { downMs: 14 * MINUTE_MS }
  if (dice < 27) return { degradedMs: 50 * MINUTE_MS }
  if (dice < 36) return { maintenanceMs: 2 * HOUR_MS }
  return {}
}
