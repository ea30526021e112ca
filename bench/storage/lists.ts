import type { Database } from '../../src/storage/database.ts'
import { runScript } from '../support/children.ts'
import { onBothEngines } from '../support/engines.ts'
import type { ListsMeasured } from '../support/lists.ts'
import { addMonitors, copyRows, fill, runSql } from '../support/monitors.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'

const MONITORS = setting('BENCH_MONITORS', 100_000)
/** 100,000 monitors are listed within 600 ms, 10,000 within 100 ms. */
const GOAL_MS = MONITORS > 10_000 ? 600 : 100
const GOAL_MB = 400
/** 10,000 monitors are scraped within 200 ms. */
const metricsGoalMs = (200 * MONITORS) / 10_000

/** Pages of the monitor list, of an organization with many monitors. */
export async function lists(): Promise<boolean> {
  const measured = await onBothEngines(measure)
  const columns = measured.flatMap(([name]) => [`${name}: median ms`, 'max ms'])
  const table = new Table(`The monitor list with ${MONITORS} monitors`, ['', ...columns, 'goal', ''])
  let areMet = true
  for (const [i, { name }] of measured[0]?.[1].pages.entries() ?? []) {
    const its = measured.map(([, { pages }]) => pages[i] ?? { medianMs: Number.NaN, maxMs: Number.NaN })
    const isMet = its.every(({ medianMs }) => medianMs <= GOAL_MS)
    areMet &&= isMet
    const cells = its.flatMap(({ medianMs, maxMs }) => [medianMs.toFixed(1), maxMs.toFixed(1)])
    table.row([name, ...cells, `≤ ${GOAL_MS}`, verdict(isMet)])
  }
  for (const [name, { export: exported, peakMb, metricsMs }] of measured) {
    note(
      `${name}: CSV of ${exported.lines} lines in ${exported.seconds.toFixed(1)} s, longest read ${exported.longestMs.toFixed(0)} ms. ` +
        `Metrics for Prometheus in ${metricsMs.toFixed(0)} ms (goal ≤ ${metricsGoalMs.toFixed(0)}).`,
    )
    const peaks = Object.entries(peakMb).map(([stage, mb]) => `${stage} ${mb.toFixed(0)}`)
    note(`${name}: largest resident memory in MB (goal ≤ ${GOAL_MB}): ${peaks.join(', ')}.`)
  }
  return (
    areMet && measured.every(([, { peakMb, metricsMs }]) => largest(peakMb) <= GOAL_MB && metricsMs <= metricsGoalMs)
  )
}

function largest(peakMb: ListsMeasured['peakMb']): number {
  return Math.max(...Object.values(peakMb))
}

async function measure(engine: string, at: string): Promise<ListsMeasured> {
  progress(`${engine}: ${MONITORS} monitors`)
  const now = Date.now()
  await fill(at, now, (database) => addCopies(database, now))
  const measured = await runScript<ListsMeasured>('lists.ts', [at, MONITORS])
  progress('')
  return measured
}

/** Creates one monitor with the operation and copies it, with other names, types and states. */
async function addCopies(database: Database, now: number): Promise<void> {
  await addMonitors(database, 1, { type: 'HTTP', url: 'https://example.com/health', intervalSeconds: 60 }, now)
  const name = "'Service ' || (i * 7919 % 100003) || ' in region ' || (i % 17)"
  const type = "case i % 5 when 0 then 'PORT' when 1 then 'PING' else 'HTTP' end"
  const state =
    "case when i % 997 = 0 then 'DOWN' when i % 501 = 0 then 'DEGRADED' when i % 50 = 0 then 'PAUSED' else 'UP' end"
  const url = "'https://service-' || i || '.example.com/health'"
  await copyRows(database, 'monitors', MONITORS - 1, {
    id: "id || '-' || i",
    seq: 'i',
    name,
    name_key: `lower(${name})`,
    target_key: url,
    type,
    settings: `replace(settings, 'https://example.com/health', ${url})`,
  })
  const filler = `'{"samples":[' || substr('${'120,118,'.repeat(40)}', 1, 300) || '0]}'`
  await copyRows(database, 'monitor_states', MONITORS - 1, {
    state,
    last_checked_at: `${now} - i % 60000`,
    last_response_ms: 'i * 31 % 2000',
    uptime: '1 - (i % 5000) / 86400000.0',
    memory: filler,
    recent_results: `'${'m0abcdefu3k\n'.repeat(45)}'`,
  })
  await runSql(
    database,
    `insert into rollup_days (org_id, num, start_at, up_ms, degraded_ms, down_ms, paused_ms, maintenance_ms, checks, failures, responses)
     select org_id, num, ${Math.floor(now / 86_400_000) * 86_400_000 - 86_400_000}, 86400000 - num % 5000, 0, num % 5000, 0, 0, 1440, 0, '{}' from monitor_states`,
  )
  await runSql(database, `update list_totals set live = ${MONITORS}, issued = ${MONITORS} where kind = 'monitor'`)
  await runSql(database, 'analyze')
}
