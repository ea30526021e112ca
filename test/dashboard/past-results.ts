import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { openIncident, resolveIncident } from '../../src/monitoring/incidents/queries.ts'
import { histogramText, withSample } from '../../src/monitoring/monitor-states/histogram.ts'
import { reason } from '../../src/reasons/reason.ts'
import { type DbWork, execute, q } from '../../src/storage/query.ts'
import { words } from '../support/reasons.ts'
import type { TestServer } from '../support/server.ts'

export { HOUR_MS, MINUTE_MS }

export interface Past {
  /** Around how many milliseconds it answered. */
  readonly ms: number
  /** Minutes that it was down, by the hours ago at which that began. */
  readonly down?: Readonly<Record<number, number>>
  readonly days?: number
}

/** Gives a monitor a past, as if it had been watched for a quarter of a year. */
export async function remember({ running }: TestServer, id: string, { ms, down = {}, days = 90 }: Past): Promise<void> {
  const now = Date.now()
  await running.database.write(function* () {
    const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
    if (monitor === undefined) throw new Error(`There is no monitor ${id}`)
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS
    const day = Math.floor(now / DAY_MS) * DAY_MS
    for (let ago = 7 * 24; ago > 0; ago -= 1) {
      yield* write('rollup_hours', monitor, hour - ago * HOUR_MS, HOUR_MS, ms, (down[ago] ?? 0) * MINUTE_MS)
    }
    const lost = Object.values(down).reduce((sum, minutes) => sum + minutes, 0) * MINUTE_MS
    for (let ago = days; ago > 0; ago -= 1) {
      yield* write('rollup_days', monitor, day - ago * DAY_MS, DAY_MS, ms, ago === 1 ? lost : 0)
    }
  })
}

function* write(
  table: 'rollup_hours' | 'rollup_days',
  monitor: { num: number; org_id: string },
  startAt: number,
  lengthMs: number,
  ms: number,
  downMs: number,
): DbWork<void> {
  const checks = lengthMs / (5 * MINUTE_MS)
  let responses = withSample([], ms)
  // Busier by day, and never twice the same.
  const load = 1 + 0.4 * Math.sin((startAt / DAY_MS) * 2 * Math.PI) + 0.15 * Math.sin(startAt / 7_777_777)
  for (let i = 1; i < checks; i += 1) responses = withSample(responses, ms * load * (1 + ((i * 7) % 11) / 12))
  yield* execute(
    q.insertInto(table).values({
      ...monitor,
      start_at: startAt,
      up_ms: lengthMs - downMs,
      degraded_ms: 0,
      down_ms: downMs,
      paused_ms: 0,
      maintenance_ms: 0,
      checks,
      failures: Math.round(downMs / (5 * MINUTE_MS)),
      responses: histogramText(responses),
    }),
  )
}

/** An incident that is over. */
export async function pastIncident(
  { running }: TestServer,
  id: string,
  at: number,
  lastedMs: number,
  error = 'HTTP 503 Service Unavailable (expected 2xx or 3xx)',
): Promise<string> {
  return running.database.write(function* () {
    const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
    if (monitor === undefined) throw new Error(`There is no monitor ${id}`)
    const incident = newId('inc', at)
    const failure = {
      at,
      statusCode: 503,
      responseMs: 412,
      error: words(error),
      ip: '203.0.113.7',
      excerpt: '<h1>Service Unavailable</h1>\n<p>The upstream is gone.</p>',
    }
    yield* openIncident(monitor.org_id, incident, monitor.num, 'STATUS', failure)
    yield* resolveIncident(monitor.org_id, incident, at + lastedMs, reason('check_succeeded'))
    return incident
  })
}
