import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { apply, cron } from '../configuration/support.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { hostileDocuments, hostileHistories } from './hostile-documents.ts'
import { requireRefused, requireShortTurns, sendCompressed } from './short-turns.ts'

forEachEngine('hostile documents of 16 MiB', (engine) => {
  const api = useApi(engine)

  test('are refused in short turns of the event loop', async () => {
    await requireRefused(api, '/configuration/plan', hostileDocuments())
    await requireRefused(api, '/configuration/history', hostileHistories())
  })
})

forEachEngine('a history of 36,600 days', (engine) => {
  const api = useApi(engine)

  test('is imported in short turns of the event loop', async () => {
    const { client, key } = await api.tenant()
    const keys = Array.from({ length: 10 }, (_, i) => `job-${i}`)
    const monitors = Object.fromEntries(keys.map((name) => [name, cron(name)]))
    await apply(client, { version: 1, source: 's', monitors })
    const days = Array.from({ length: 3_660 }, (_, i) => [i * 86_400, 86_000, 400, 0, 1_440, 7, 120])
    const history = { source: 's', monitors: keys.map((name) => ({ key: name, hours: [], days })) }
    const body = Buffer.from(gzipSync(JSON.stringify(history)))
    const run = () => sendCompressed(`${api.server.url}/api/v1/configuration/history`, key, body)
    await requireShortTurns('history', run, ({ status, text }) => {
      assert.deepEqual([status, JSON.parse(text)], [200, { monitors: 10, hours: 0, days: 36_600 }])
    })
  })
})
