import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import type { Database } from '../../src/storage/database.ts'
import { execute, q, runEach, statement } from '../../src/storage/query.ts'
import { fillFolder, openAny } from './monitors.ts'
import { create, pharos } from './processes.ts'

export const SLUG = 'bench'
const subject = { type: 'HTTP', url: 'https://example.com/health', intervalSeconds: 60 }

interface DayRow {
  orgId: string
  num: number
  at: number
  upMs: number
  degradedMs: number
  downMs: number
}

const insertDay = statement((d: DayRow) =>
  q.insertInto('rollup_days').values({
    org_id: d.orgId,
    num: d.num,
    start_at: d.at,
    up_ms: d.upMs,
    degraded_ms: d.degradedMs,
    down_ms: d.downMs,
    paused_ms: 0,
    maintenance_ms: 0,
    checks: 1440,
    failures: 0,
    responses: JSON.stringify(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [90 + i, 20 + i]))),
  }),
)

/** Creates a page with this many monitors, as many other monitors, and their history. */
export async function fillWithPage(dataDir: string, monitors: number, days: number): Promise<void> {
  const now = Date.now()
  await fillFolder(dataDir, 2 * monitors, subject, now)
  const database = await openAny(dataDir)
  const orgId = (await database.read(organizationWithIdOrSlug('default')))?.id as string
  const rows = await database.read(execute(q.selectFrom('monitors').select(['num', 'id']).orderBy('num')))
  await database.write(() =>
    runEach(
      insertDay,
      rows.flatMap(({ num }) => Array.from({ length: days + 30 }, (_, back) => dayOf(orgId, num, back, now))),
    ),
  )
  await database.write(() => execute(q.updateTable('monitor_states').set({ state: 'UP', last_response_ms: 120 })))
  await database.close()
  const shown = rows.slice(0, monitors).map(({ id }) => ({ monitorId: id }))
  await makePage(dataDir, shown, days)
}

/** Every fiftieth day has a problem. */
function dayOf(orgId: string, num: number, back: number, now: number): DayRow {
  const trouble = (num * 7919 + back * 104_729) % 50
  const at = (Math.floor(now / DAY_MS) - 1 - back) * DAY_MS
  const downMs = trouble === 0 ? 14 * MINUTE_MS : 0
  return { orgId, num, at, upMs: DAY_MS - downMs, degradedMs: trouble === 1 ? 40 * MINUTE_MS : 0, downMs }
}

async function makePage(dataDir: string, monitors: readonly { monitorId: string }[], historyDays: number) {
  await using server = await pharos(dataDir)
  const fifth = Math.ceil(monitors.length / 5)
  const sections = Array.from({ length: 5 }, (_, i) => ({
    name: `Section ${i + 1}`,
    monitors: monitors.slice(i * fifth, (i + 1) * fifth),
  }))
  const page = { name: 'Bench', slug: SLUG, historyDays, showResponseTimes: true, sections }
  await create(server, '/status-pages', page)
}

const touch = statement(({ value }: { value: string }) =>
  q
    .insertInto('settings')
    .values({ name: 'bench', value })
    .onConflict((taken) => taken.column('name').doUpdateSet({ value })),
)

/** Commits a change, which clears the row cache. */
export async function forgetRows(database: Database, value: string): Promise<void> {
  await database.write(() => runEach(touch, [{ value }]))
}
