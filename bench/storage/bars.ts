import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts'
import { histogramText, withSample } from '../../src/monitoring/monitor-states/histogram.ts'
import { emptyTotals, startOfHour } from '../../src/monitoring/monitor-states/ledger.ts'
import { memoryText, readMemory } from '../../src/monitoring/monitor-states/memory.ts'
import { SQLITE_FILE } from '../../src/storage/sqlite/database.ts'
import type { BarsMeasured } from '../support/bars.ts'
import { runScript, temporaryFolder } from '../support/children.ts'
import { addMonitors, fill } from '../support/monitors.ts'
import { inRounds, over } from '../support/rounds.ts'
import { setting } from '../support/sections.ts'
import { printRow, progress, verdict } from '../support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 3)
const RESULTS = setting('BENCH_RESULTS', 10_000_000)
/** Results of these monitors every five minutes for 90 days. */
const MONITORS = 400
const SHOWN = 50
const PAGES = MONITORS / SHOWN
const DAYS = 90
const KEEP_DAYS = 90
/** A monitor is down for one minute after this many checks. */
const TROUBLE_EVERY_DAYS = 10
const GOAL_MS = 5

/** Day bars of a status page in a database with a long history. */
export async function bars(): Promise<boolean> {
  using folder = temporaryFolder()
  const now = Date.now()
  await fill(folder.path, now, (database) => {
    const subject = { type: 'HTTP', url: 'https://example.com/health', intervalSeconds: 300 }
    return addMonitors(database, MONITORS, subject, now)
  })
  const results = store(join(folder.path, SQLITE_FILE), now)
  const rounds = await inRounds(ROUNDS, {
    bars: () => runScript<BarsMeasured>('bars.ts', [folder.path, PAGES, SHOWN, DAYS, now]),
  })
  const medianMs = over(rounds, ({ bars }) => bars.medianMs)
  const isMet = medianMs < GOAL_MS
  printRow(`Day bars on SQLite: ${DAYS} days of ${SHOWN} monitors among ${MONITORS}, ${ROUNDS} rounds of 200 runs`, [
    ['', `${SHOWN} monitors`],
    ['results stored', String(results)],
    ['first ms', over(rounds, ({ bars }) => bars.firstMs).toFixed(1)],
    ['median ms', medianMs.toFixed(2)],
    ['p99 ms', over(rounds, ({ bars }) => bars.p99Ms).toFixed(2)],
    ['goal', `< ${GOAL_MS}`],
    ['', verdict(isMet)],
    ['CPU ms', over(rounds, ({ bars }) => bars.cpuMs).toFixed(2)],
  ])
  return isMet
}

/** Inserts rows directly. */
function store(file: string, now: number): number {
  using opened = new DatabaseSync(file)
  const days = Array.from({ length: DAYS }, (_, i) => (Math.floor(now / DAY_MS) - (DAYS - 1 - i)) * DAY_MS)
  const perDay = Math.ceil(RESULTS / DAYS / MONITORS)
  const spacingMs = Math.floor(DAY_MS / perDay)
  for (const [i, day] of days.entries()) {
    opened.exec(`begin;
      with recursive slots(s) as (select 0 union all select s + 1 from slots where s < ${perDay - 1})
      insert into result_blocks (num, first_at, expires_at, up, degraded, down, inconclusive, results)
      select num, ${day} + s / 80 * 80 * ${spacingMs} + num, ${day + (KEEP_DAYS + 1) * DAY_MS}, count(*), 0, 0, 0, group_concat(s % 80 * ${spacingMs} || 'U' || (80 + (num * 7 + s * 13) % 90))
      from monitor_states, slots group by num, s / 80;
      insert into rollup_days
        (org_id, num, start_at, up_ms, degraded_ms, down_ms, paused_ms, maintenance_ms, checks, failures, responses)
      select org_id, num, ${day}, ${day === days.at(-1) ? startOfHour(now) - day : DAY_MS} - down, 0, down, 0, 0, ${perDay}, 1,
        '${histogramText(responses(perDay))}'
      from (select org_id, num, case (num + ${i}) % ${TROUBLE_EVERY_DAYS} when 0 then 60000 else 0 end as down from monitor_states);
      commit`)
    if (i % 15 === 14) progress(`${(i + 1) * perDay * MONITORS} results`)
  }
  // The query needs only the monitors of a page, not the page itself.
  opened.exec(`pragma foreign_keys = off;
    insert into status_page_monitors (org_id, page_id, num) select org_id, 'pag_' || (num % ${PAGES}), num from monitor_states`)
  opened.prepare("update monitor_states set state = 'UP', memory = ?").run(openHour(now))
  return perDay * MONITORS * DAYS
}

function responses(count: number) {
  let histogram = emptyTotals.responses
  for (let i = 0; i < count; i += 1) histogram = withSample(histogram, 80 + ((i * 13) % 90))
  return histogram
}

/** Working memory of a monitor in the middle of an hour. */
function openHour(now: number): string {
  const hour = startOfHour(now)
  const until = Math.min(now, hour + HOUR_MS / 2)
  const tally = { ...emptyTotals, upMs: until - hour, checks: 6, responses: responses(6) }
  return memoryText({ ...readMemory('{}', now), ledger: { accountedUntil: until, hourStart: hour, totals: tally } })
}
