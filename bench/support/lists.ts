/**
 * Measures pages of the monitor list in a filled database. Prints one line of JSON. On SQLite in CPU time, because the work is
 * done in this process: it depends less on other load than the time that passes.
 *   node bench/support/lists.ts FOLDER_OR_URL COUNT
 */
import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import { exportMonitors } from '../../src/monitoring/exports/export-monitors.ts'
import { getMonitorList } from '../../src/monitoring/monitor-list/get.ts'
import { monitorMetrics } from '../../src/monitoring/monitor-metrics/render.ts'
import { getOverview } from '../../src/monitoring/overview/get.ts'
import { getWallBoard } from '../../src/monitoring/overview/get-wall-board.ts'
import type { DbWork } from '../../src/storage/query.ts'
import { median } from './figures.ts'
import { openAny, startBenchNode } from './monitors.ts'

export interface ListsMeasured {
  readonly pages: readonly { readonly name: string; readonly medianMs: number; readonly maxMs: number }[]
  readonly export: { readonly seconds: number; readonly longestMs: number; readonly lines: number }
  /** The metrics of all monitors for Prometheus. */
  readonly metricsMs: number
  /** The largest resident memory of each stage. */
  readonly peakMb: Readonly<Record<string, number>>
}

const RUNS = 9
const now = Date.now()
const [place = '', count = '100000'] = process.argv.slice(2)
const database = await openAny(place)
const org = await database.read(organizationWithIdOrSlug('default'))
if (org === undefined) throw new Error('There is no organization')
const context = { caller: { orgId: org.id, plan: org.plan }, now, installation: { transports: { mail: undefined } } }

type Handled = { handle(context: unknown, input: unknown): DbWork<unknown> }
const last = Number(count) - 50
const base = { sort: 'state', order: 'asc', limit: 50, offset: 0 }
const queries: readonly [string, object][] = [
  ['first page', {}],
  ['page in the middle', { offset: last / 2 }],
  ['last page', { offset: last }],
  ['by name, last page', { sort: 'name', offset: last }],
  ['by name backwards, last page', { sort: 'name', order: 'desc', offset: last }],
  ['by type, grouped by state, last page', { sort: 'type', group: 'state', offset: last }],
  ['by uptime', { sort: 'uptime' }],
  ['by uptime, last page', { sort: 'uptime', order: 'desc', offset: last }],
  ['by response, last page', { sort: 'response', offset: last }],
  ['by last check, middle', { sort: 'checked', offset: last / 2 }],
  ['only DOWN', { state: 'DOWN' }],
  ['search that finds nothing', { q: 'no such monitor' }],
  ['search that finds one', { q: 'service 77777 ' }],
  ['search that finds a tenth', { q: '7 in ' }],
  ['search that finds all, last page', { q: 'e', offset: last }],
  ['search that finds all, by uptime, last page', { q: 'e', sort: 'uptime', offset: last }],
]

async function timed(work: () => DbWork<unknown>): Promise<{ medianMs: number; maxMs: number }> {
  const times: number[] = []
  for (let i = 0; i < RUNS; i += 1) {
    const [from, cpuFrom] = [performance.now(), process.cpuUsage()]
    await database.read(work())
    const { user, system } = process.cpuUsage(cpuFrom)
    times.push(database.engine === 'sqlite' ? (user + system) / 1000 : performance.now() - from)
  }
  return { medianMs: median(times), maxMs: Math.max(...times) }
}

const peakMb: Record<string, number> = {}
let stage = 'start'
function noteMemory(): void {
  peakMb[stage] = Math.max(peakMb[stage] ?? 0, process.memoryUsage.rss() / 1e6)
}
const sampling = setInterval(noteMemory, 10)
function begin(next: string): void {
  noteMemory()
  stage = next
}

const node = await startBenchNode(database)
begin('pages')
const pages: { name: string; medianMs: number; maxMs: number }[] = []
for (const [name, changed] of queries) {
  const query = { ...base, ...changed }
  pages.push({ name, ...(await timed(() => (getMonitorList as unknown as Handled).handle(context, { query }))) })
}
pages.push({ name: 'wall board', ...(await timed(() => (getWallBoard as unknown as Handled).handle(context, {}))) })
pages.push({ name: 'overview', ...(await timed(() => (getOverview as unknown as Handled).handle(context, {}))) })

begin('CSV')
let [lines, longestMs] = [0, 0]
const exportedFrom = performance.now()
const read = async <T>(work: DbWork<T>): Promise<T> => {
  const from = performance.now()
  const value = await database.read(work)
  longestMs = Math.max(longestMs, performance.now() - from)
  return value
}
for await (const part of await exportMonitors(read, org.id, { sort: 'name', order: 'asc' }, now, { mail: undefined })) {
  lines += part.split('\n').length - 1
}
const exportSeconds = (performance.now() - exportedFrom) / 1000
begin('metrics')
const scrapes: number[] = []
for (let i = 0; i < RUNS; i += 1) {
  const from = performance.now()
  await monitorMetrics((work) => database.read(work), org.id, now)
  scrapes.push(performance.now() - from)
}
noteMemory()
clearInterval(sampling)
const measured: ListsMeasured = {
  pages,
  export: { seconds: exportSeconds, longestMs, lines },
  metricsMs: median(scrapes),
  peakMb,
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
await node.stop()
await database.close()
