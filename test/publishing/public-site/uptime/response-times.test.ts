import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../../../src/lib/clock.ts'
import { bucketOf, type Histogram } from '../../../../src/monitoring/monitor-states/histogram.ts'
import { emptyTotals } from '../../../../src/monitoring/monitor-states/ledger.ts'
import { translatorFor } from '../../../../src/publishing/public-site/languages/translator.ts'
import { niceCeiling, responseCharts, sparkline } from '../../../../src/publishing/public-site/pages/response-charts.ts'
import { responseSeries } from '../../../../src/publishing/public-site/uptime/response-times.ts'
import { useApi } from '../../../support/api.ts'
import { HandClock } from '../../../support/clock.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { addHourlyRollups, createMonitor, createPage, fetchPage } from '../fixtures.ts'

const t = translatorFor('en', 'UTC')
const now = Date.UTC(2026, 5, 10, 12, 30)

test('hours without responses and hours before the first are left out', () => {
  const hour = Date.UTC(2026, 5, 10, 11)
  const period = (startAt: number, responses: Histogram) => ({ startAt, totals: { ...emptyTotals, responses } })
  const series = responseSeries(
    [
      period(hour - 24 * HOUR_MS, [bucketOf(100), 9]),
      period(hour, [bucketOf(100), 9, bucketOf(1000), 1]),
      period(hour + HOUR_MS, []),
    ],
    HOUR_MS,
    24,
    now,
  )
  assert.equal(series.from, Date.UTC(2026, 5, 9, 13))
  assert.equal(series.points.length, 1)
  const [point] = series.points
  assert.equal(point?.startAt, hour)
  assert.ok(Math.abs((point?.p50Ms ?? 0) - 100) < 5)
  assert.ok(Math.abs((point?.p95Ms ?? 0) - 1000) < 30)
})

test('a line is interrupted where hours have no responses', () => {
  const points = [0, 1, 3].map((i) => ({ startAt: i * HOUR_MS, p50Ms: 100, p95Ms: 200 }))
  const text = String(responseCharts([{ title: 'Last day', stepMs: HOUR_MS, from: 0, steps: 4, points }], t))
  assert.match(text, /class="p50" d="M0 60L0.5 60L1.5 60M3 60L3.5 60"/)
  assert.equal(text.match(/<i/g)?.length, 4)
  assert.equal(text.match(/data-t=/g)?.length, 3)
  assert.match(text, /aria-label="Last day\. [^"]*: Median 100 ms, p95 200 ms"/)
  assert.equal(responseCharts([{ title: '', stepMs: HOUR_MS, from: 0, steps: 4, points: [] }], t), null)
})

test('the top of a scale is a round number', () => {
  assert.deepEqual([0, 1, 3, 201, 250, 251, 999].map(niceCeiling), [1, 1, 5, 250, 250, 500, 1000])
})

test('a sparkline needs two hours', () => {
  assert.equal(sparkline([null, 5, null], t), null)
  assert.match(String(sparkline([10, 5, null, 10], t)), /<path d="M0 2 1 11M3 2"\/>/)
})

forEachEngine('response times on a status page', (engine) => {
  const clock = new HandClock(now)
  const api = useApi(engine, { clock })

  test('are shown as a sparkline and as charts only if the page shows response times', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'Shop')
    await addHourlyRollups(api.server, id, 48, now, (back) => 90 + (back % 5))
    const [shown, hidden] = [
      await createPage(client, [id], { showResponseTimes: true }),
      await createPage(client, [id]),
    ]
    const read = async (slug: string) => [
      (await fetchPage(`${api.server.url}/status/${slug}`)).text,
      (await fetchPage(`${api.server.url}/status/${slug}/monitors/${id}`)).text,
    ]
    const [home = '', own = ''] = await read(shown.slug)
    assert.match(home, /<svg class="spark"[^>]*aria-label="Median response time, last 24 hours">/)
    assert.match(own, /<figure class="card"><figcaption><b>Last 7 days<\/b>/)
    for (const text of await read(hidden.slug)) assert.doesNotMatch(text, /class="spark"|<figure/)
  })
})
