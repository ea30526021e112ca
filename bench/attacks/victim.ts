import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Scene } from './scene.ts'

const VICTIM_ADDRESS = '127.0.0.3'
/** Below the limit of its five keys, 600 a minute. */
const REQUESTS_PER_SECOND = 8
const INTERVAL_MS = 30_000

export interface Noticed {
  readonly latenciesMs: readonly number[]
  /** Answers that are no success. */
  readonly refused: number
  readonly serverErrors: number
  readonly startedAt: number
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Lists, reads, changes and creates like an ordinary client, whatever the server does, for some time. */
export async function useAsVictim(
  url: string,
  { keys, monitorIds }: Scene['victim'],
  seconds: number,
): Promise<Noticed> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50, localAddress: VICTIM_ADDRESS })
  const id = (i: number): string => monitorIds[i % monitorIds.length] as string
  const send = (i: number, method: string, path: string, body?: unknown): Promise<Answer> =>
    ask(agent, `${url}/api/v1${path}`, method, keys[i % keys.length] as string, body)
  const kinds = [
    (i: number) => send(i, 'GET', '/monitors'),
    (i: number) => send(i, 'GET', `/monitors/${id(i)}`),
    (i: number) => send(i, 'PATCH', `/monitors/${id(i)}`, { name: `Victim, change ${i}` }),
    (i: number) => send(i, 'GET', '/incidents'),
    (i: number) => send(i, 'POST', '/maintenance-windows', windowOf(i, id(i))),
  ]
  const latenciesMs: number[] = []
  let refused = 0
  let serverErrors = 0
  const pending: Promise<void>[] = []
  const startedAt = Date.now()
  const total = seconds * REQUESTS_PER_SECOND
  for (let i = 0; i < total; i += 1) {
    await delay(Math.max(0, startedAt + (i * 1000) / REQUESTS_PER_SECOND - Date.now()))
    const sentAt = performance.now()
    pending.push(
      (kinds[i % kinds.length] as (i: number) => Promise<Answer>)(i).then(({ status }) => {
        latenciesMs.push(performance.now() - sentAt)
        if (status >= 500 || status === 0) serverErrors += 1
        if (status >= 300 || status === 0) refused += 1
      }),
    )
  }
  await Promise.all(pending)
  agent.destroy()
  return { latenciesMs, refused, serverErrors, startedAt }
}

/** The longest time by which a check was late. Asks when the attacks have ended, and again while the server still fails. */
export async function longestDelay(url: string, { keys, monitorIds }: Scene['victim'], since: number): Promise<number> {
  let longest = 0
  for (const monitorId of monitorIds) {
    const address = `${url}/api/v1/monitors/${monitorId}/checks?limit=100`
    let response: Response
    do {
      await delay(100)
      response = await fetch(address, { headers: { 'x-api-key': keys[0] as string } })
    } while (response.status >= 500)
    longest = Math.max(longest, latestOf(((await response.json()) as { data: { at: string }[] }).data, since))
  }
  return longest
}

function latestOf(checks: readonly { readonly at: string }[], since: number): number {
  const times = checks.map(({ at }) => Date.parse(at)).filter((at) => at >= since - INTERVAL_MS)
  const gaps = [Date.now(), ...times].slice(0, -1).map((at, i) => at - (times[i] as number))
  return times.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.max(...gaps) - INTERVAL_MS)
}

function windowOf(i: number, monitorId: string): unknown {
  const day = `2030-01-${String(1 + (i % 28)).padStart(2, '0')}`
  return { name: `Window ${i}`, startsAt: `${day}T01:00:00Z`, endsAt: `${day}T02:00:00Z`, monitorIds: [monitorId] }
}

/** Status 0 if there was no answer. */
function ask(agent: Agent, url: string, method: string, key: string, body: unknown): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = { 'x-api-key': key, ...(text !== undefined && { 'content-type': 'application/json' }) }
  return new Promise((resolve) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      let received = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        received += chunk
      })
      response.on('error', () => resolve({ status: 0, text: '' }))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: received }))
    })
    sent.on('error', () => resolve({ status: 0, text: '' }))
    sent.end(text)
  })
}
