import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Pharos } from '../../../clients/typescript/src/index.ts'
import { importKumaHistory } from '../../../src/cli/import/history.ts'
import { readKuma } from '../../../src/importers/kuma/read.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { apply } from '../../configuration/support.ts'
import { HandClock } from '../../support/clock.ts'
import { startTestServer } from '../../support/server.ts'
import { fixture, fixtureJson } from '../apply.ts'

/** Percentage points. */
const TOLERANCE = 0.1

interface Expected {
  readonly asOf: string
  readonly monitors: readonly {
    readonly sourceName: string
    readonly sourceType: string
    readonly history: { readonly filled: boolean; readonly exact: Readonly<Record<string, Record<string, number>>> }
  }[]
}

const spans = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 90 * DAY_MS }

async function start(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-history-'))
  const path = join(folder, 'kuma.db')
  writeFileSync(path, gunzipSync(fixture(`kuma/${name}`).bytes))
  const expected: Expected = fixtureJson('kuma/expected.json')[name]
  const clock = new HandClock(Date.parse(expected.asOf.replace(' ', 'T')))
  const server = await startTestServer('sqlite', { clock, env: { PHAROS_ROLES: 'api' } })
  const { document } = readKuma([{ name: 'kuma.db', path, bytes: new Uint8Array() }])
  await apply(server.client(), { version: 1, source: 'import-kuma', monitors: document.monitors })
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
  return {
    path,
    expected,
    clock,
    client: server.client(),
    pharos: new Pharos({ url: server.url, apiKey: server.key }),
    stop,
  }
}

describe('the history of Uptime Kuma', () => {
  for (const name of ['kuma-1.db.gz', 'kuma-2.db.gz']) {
    test(`in ${name} becomes uptime over 24 hours, 7, 30 and 90 days, and a second import changes nothing`, async () => {
      const { path, expected, clock, client, pharos, stop } = await start(name)
      await using _stop = { [Symbol.asyncDispose]: stop }
      const first = await importKumaHistory(pharos, path)
      const { data } = (await client.get('/monitors?limit=100')).body
      const ids = new Map<string, string>(data.map((one: { name: string; id: string }) => [one.name, one.id]))
      const uptimes = async () => {
        const found: Record<string, number> = {}
        for (const { sourceName, history } of expected.monitors) {
          const id = ids.get(sourceName)
          if (!history.filled || id === undefined) continue
          for (const [span, ms] of Object.entries(spans)) {
            const from = new Date(clock.now() - ms).toISOString()
            const { body } = await client.get(`/monitors/${id}/uptime?from=${from}`)
            found[`${sourceName} ${span}`] = body.data[0].uptime * 100
          }
        }
        return found
      }
      const found = await uptimes()
      assert.ok(Object.keys(found).length > 40, 'most monitors with a history are compared')
      const wrong = expected.monitors.flatMap(({ sourceName, history }) =>
        Object.entries(history.exact).flatMap(([span, exact]) => {
          const uptime = found[`${sourceName} ${span}`]
          const right = [exact.uptimePct, exact.kumaPct, exact.timeWeightedPct].filter((one) => one !== undefined)
          if (uptime === undefined || right.some((one) => Math.abs(one - uptime) <= TOLERANCE)) return []
          return [`${sourceName} ${span}: ${uptime}, expected ${right.join(' or ')}`]
        }),
      )
      // Hours are the smallest unit: one outage lies in the hour in which the 24 hours begin, which counts in proportion.
      assert.ok(wrong.length <= (name === 'kuma-1.db.gz' ? 1 : 0), wrong.join('\n'))
      assert.deepEqual((await importKumaHistory(pharos, path)).json, first.json)
      assert.deepEqual(await uptimes(), found)
    })
  }

  test('needs a database that exists', async () => {
    const pharos = new Pharos({ url: 'http://127.0.0.1:9', apiKey: 'none' })
    await assert.rejects(importKumaHistory(pharos, '/nowhere/kuma.db'), /does not exist/)
  })
})
