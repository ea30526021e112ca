import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { Api } from '../support/api.ts'
import { measureTurns } from '../support/cpu-time.ts'

/** Of one turn of the event loop, on a quiet machine. */
export const MAX_TURN_MS = 50
/** Of a turn that is measured once, with the collection of garbage and code that is new. Without bounds, these take 300 ms and more. */
export const MAX_SINGLE_TURN_MS = 150

export interface SentAnswer {
  readonly status: number
  readonly text: string
  readonly longestTurnMs: number
}

/** Sends compressed bytes, so that the client of the test takes no time of its own. */
export async function sendCompressed(url: string, key: string, body: Uint8Array<ArrayBuffer>): Promise<SentAnswer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  }
  const turns = measureTurns()
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  return { status: response.status, text, longestTurnMs: turns.stop() }
}

/** A turn also has what V8 optimizes and collects in the meantime: the least of several runs counts. */
export async function requireShortTurns(
  name: string,
  run: () => Promise<SentAnswer>,
  check: (answer: SentAnswer) => void,
): Promise<void> {
  let longestTurnMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5 && longestTurnMs > MAX_TURN_MS; i += 1) {
    const answer = await run()
    check(answer)
    longestTurnMs = Math.min(longestTurnMs, answer.longestTurnMs)
  }
  assert.ok(longestTurnMs <= MAX_TURN_MS, `${name}: a turn of the event loop took ${longestTurnMs} ms`)
}

/** Sends each body as an organization of its own: one of an organization runs at a time, with a pause behind it. */
export async function requireRefused(api: Api, path: string, bodies: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, json] of Object.entries(bodies)) {
    const body = Buffer.from(gzipSync(json, { level: 1 }))
    const run = async () => sendCompressed(`${api.server.url}/api/v1${path}`, (await api.tenant()).key, body)
    await requireShortTurns(name, run, ({ status, text }) => {
      assert.equal(status, 400, `${name}: ${text.slice(0, 300)}`)
      assert.ok(text.length < 100_000, `${name} has an answer of ${text.length} characters`)
    })
  }
}
