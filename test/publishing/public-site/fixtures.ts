import { request } from 'node:http'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import type { Ledger } from '../../../src/monitoring/monitor-states/ledger.ts'
import { memoryText, readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import type { StateFields } from '../../../src/monitoring/monitor-states/state.ts'
import { execute, q } from '../../../src/storage/query.ts'
import type { Client, TestServer } from '../../support/server.ts'

/** A response, not decompressed. */
export interface FetchedPage {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
}

export interface FetchPageOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
}

/** Sends a request without accept-encoding. Unlike `fetch` it can set the Host header. */
export function fetchPage(url: string, { method, headers = {}, form }: FetchPageOptions = {}): Promise<FetchedPage> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString()
  const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  return new Promise((resolve, reject) => {
    const options = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...type, ...headers },
      agent: false,
    }
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const { statusCode = 0, headers } = response
        resolve({ status: statusCode, headers, bytes, text: bytes.toString('utf8') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Returns the id. */
export async function createMonitor(client: Client, name: string): Promise<string> {
  const { body, status } = await client.post('/monitors', { name, type: 'HTTP', url: 'https://example.com/' })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON object from the API
export type ApiObject = any

/** Creates a page with these monitors in one section. */
export async function createPage(
  client: Client,
  monitorIds: readonly string[],
  fields: object = {},
): Promise<ApiObject> {
  const sections = [{ name: 'Systems', monitors: monitorIds.map((monitorId) => ({ monitorId })) }]
  const { body, status } = await client.post('/status-pages', { name: 'Acme', sections, ...fields })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

export async function publishIncident(client: Client, pageId: string, fields: object = {}): Promise<ApiObject> {
  const incident = { title: 'Trouble', message: 'We are looking into it.', statusPageIds: [pageId], ...fields }
  const { body, status } = await client.post('/status-incidents', incident)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

/** Writes the state of a monitor as if checks had found it at `since`. */
export async function setMonitorState(
  server: TestServer,
  id: string,
  state: StateFields['state'],
  since: number,
  responseMs = 123,
): Promise<void> {
  const { database } = server.running
  await database.write(function* () {
    const [monitor] = yield* execute(
      q
        .selectFrom('monitors as m')
        .innerJoin('monitor_states as s', 's.num', 'm.num')
        .select(['m.num', 's.memory'])
        .where('m.id', '=', id),
    )
    if (monitor === undefined) throw new Error(`There is no monitor ${id}`)
    const standing: StateFields = {
      state,
      last_checked_at: since,
      last_status_changed_at: since,
      last_response_ms: responseMs,
      cert_expires_at: null,
    }
    const memory = readMemory(monitor.memory, since)
    const ledger: Ledger = { ...memory.ledger, accountedUntil: since, hourStart: Math.floor(since / HOUR_MS) * HOUR_MS }
    yield* execute(
      q
        .updateTable('monitor_states')
        .set({ ...standing, memory: memoryText({ ...memory, ledger }) })
        .where('num', '=', monitor.num),
    )
  })
}

export interface DayDurations {
  readonly upMs?: number
  readonly degradedMs?: number
  readonly downMs?: number
  readonly pausedMs?: number
  readonly maintenanceMs?: number
}

/** Writes daily roll-ups before today: `past(0)` is yesterday. Time not given counts as up; null writes no roll-up. */
export async function addDailyRollups(
  server: TestServer,
  id: string,
  count: number,
  now: number,
  past: (daysBefore: number) => DayDurations | null,
): Promise<void> {
  await addRollups(server, 'rollup_days', id, { count, stepMs: DAY_MS, now }, (back) => {
    const day = past(back)
    if (day === null) return null
    const { degradedMs = 0, downMs = 0, pausedMs = 0, maintenanceMs = 0 } = day
    const { upMs = DAY_MS - downMs - pausedMs - maintenanceMs } = day
    const responses = '{"100":200,"110":20}'
    return { upMs, degradedMs, downMs, pausedMs, maintenanceMs, responses }
  })
}

/** Writes hourly roll-ups before the current hour: `bucketOf(0)` is the bucket of the response times of the last hour. */
export async function addHourlyRollups(
  server: TestServer,
  id: string,
  count: number,
  now: number,
  bucketOf: (hoursBefore: number) => number | null,
): Promise<void> {
  await addRollups(server, 'rollup_hours', id, { count, stepMs: HOUR_MS, now }, (back) => {
    const bucket = bucketOf(back)
    return bucket === null ? null : { upMs: HOUR_MS, responses: `{"${bucket}":10,"${bucket + 8}":2}` }
  })
}

async function addRollups(
  { running }: TestServer,
  table: 'rollup_days' | 'rollup_hours',
  id: string,
  { count, stepMs, now }: { count: number; stepMs: number; now: number },
  rollupOf: (back: number) => (DayDurations & { responses: string }) | null,
): Promise<void> {
  const present = Math.floor(now / stepMs) * stepMs
  await running.database.write(function* () {
    const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
    if (monitor === undefined) throw new Error(`There is no monitor ${id}`)
    const rows = Array.from({ length: count }, (_, back) => back).flatMap((back) => {
      const rollup = rollupOf(back)
      if (rollup === null) return []
      const { upMs = 0, degradedMs = 0, downMs = 0, pausedMs = 0, maintenanceMs = 0, responses } = rollup
      const durations = { up_ms: upMs, degraded_ms: degradedMs, down_ms: downMs, paused_ms: pausedMs }
      const start_at = present - (back + 1) * stepMs
      return [
        { ...monitor, start_at, ...durations, maintenance_ms: maintenanceMs, checks: 288, failures: 0, responses },
      ]
    })
    if (rows.length > 0) yield* execute(q.insertInto(table).values(rows))
  })
}
