import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { type Span, spans } from '../../../src/monitoring/uptime/read-periods.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, type MonitorBody, smallest } from '../../support/monitors.ts'
import { numOf, statsOver } from '../checks/stored-history.ts'

const START = Date.UTC(2025, 0, 1, 6)

/** The true percentile, by nearest rank. */
function nearestRank(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] as number
}

/** A histogram tells a percentile within 2.5 %, and whole milliseconds. */
function expectClose(returned: number | null, truth: number, what: string): void {
  assert.ok(
    returned !== null && Math.abs(returned - truth) <= truth * 0.025 + 1,
    `${what}: ${returned} ms for ${truth} ms`,
  )
}

forEachEngine('response times', (engine) => {
  const clock = new HandClock(START)
  const api = useApi(engine, { clock })

  /** A run of a job that takes this long by the test's clock. */
  async function run(job: MonitorBody, ms: number, word = ''): Promise<void> {
    assert.equal((await fetch(`${job.heartbeatUrl}/start`)).status, 200)
    clock.advance(ms)
    assert.equal((await fetch(`${job.heartbeatUrl}${word}`)).status, 200)
  }

  test('p50 and p95 are those of the successes in the span, whatever lies before it', async () => {
    const { client } = await api.tenant()
    const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 86_400 }))
    const num = await numOf(api.server, job.id)
    const runs: { at: number; ms: number }[] = []
    // The further back, the slower: each span has percentiles of its own.
    for (const [day, slowness] of [
      [0, 300],
      [300, 100],
      [340, 30],
      [359, 10],
      [364, 1],
    ] as const) {
      clock.advance(START + day * DAY_MS - clock.now())
      for (let i = 1; i <= 12; i += 1) {
        await run(job, i * i * slowness)
        runs.push({ at: clock.now(), ms: i * i * slowness })
        assert.equal((await current(client, job.id)).lastResponseMs, i * i * slowness)
      }
      // The duration of a failed run does not count.
      await run(job, 7, '/fail')
    }
    clock.advance(HOUR_MS)
    const seen = new Set<number | null>()
    for (const span of Object.keys(spans) as Span[]) {
      const unit = span === '24h' || span === '7d' ? HOUR_MS : DAY_MS
      const from = Math.floor((clock.now() - spans[span]) / unit) * unit
      const times = runs.filter(({ at }) => at >= from).map(({ ms }) => ms)
      const { p50Ms, p95Ms, totals } = await statsOver(api.server, num, span, clock.now())
      expectClose(p50Ms, nearestRank(times, 0.5), `${span}, p50`)
      expectClose(p95Ms, nearestRank(times, 0.95), `${span}, p95`)
      const counted = totals.responses.filter((_, i) => i % 2 === 1).reduce((sum, count) => sum + count, 0)
      assert.equal(counted, times.length, `${span}: failures are left out`)
      seen.add(p95Ms)
    }
    assert.equal(seen.size, 5)
  })
})
