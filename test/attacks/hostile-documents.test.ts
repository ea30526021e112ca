import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { plan } from '../configuration/support.ts'
import { useApi } from '../support/api.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { forEachEngine } from '../support/engines.ts'
import { smallest } from '../support/monitors.ts'
import { hostileDocuments, hostileHistories } from './hostile-documents.ts'
import { MAX_TURN_MS, requireRefused, requireShortTurns, sendCompressed } from './short-turns.ts'

const MIB = 1024 * 1024

describe('hostile documents of 1 MiB', () => {
  const api = useApi('sqlite')

  test('are refused in short turns of the event loop', async () => {
    await requireRefused(api, '/configuration/plan', hostileDocuments(MIB))
    await requireRefused(api, '/configuration/history', hostileHistories(MIB))
  })

  test('have no more resources than the plan of the organization permits', async () => {
    const { client } = await api.tenant('FREE')
    const monitors = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`m${i}`, {}]))
    const answer = await client.post('/configuration/plan', { document: { version: 1, monitors } })
    assert.deepEqual([answer.status, answer.body.error.code], [422, 'plan_limit'])
  })
})

forEachEngine('documents', (engine) => {
  const api = useApi(engine)

  test('of 13 MiB that are valid are planned and applied in short turns', async () => {
    const { key, client } = await api.tenant('SELF_HOSTED')
    const monitors = Object.fromEntries(
      Array.from({ length: 320 }, (_, i) => [
        `m${i}`,
        { ...smallest('HTTP'), requestBody: `${i} ${'b'.repeat(40_000)}` },
      ]),
    )
    const body = Buffer.from(gzipSync(JSON.stringify({ document: { version: 1, monitors } })))
    let planId = ''
    const planned = () => sendCompressed(`${api.server.url}/api/v1/configuration/plan`, key, body)
    await requireShortTurns('plan', planned, ({ status, text }) => {
      assert.equal(status, 200, text.slice(0, 300))
      planId = JSON.parse(text).planId
    })
    const turns = measureTurns()
    const applied = await client.post('/configuration/apply', { planId })
    const longestMs = turns.stop()
    assert.equal(applied.status, 200)
    assert.equal(applied.body.summary.create, 320)
    assert.ok(longestMs < 2 * MAX_TURN_MS, `applying took ${longestMs} ms of one turn`)
  })

  test('of read-only keys and viewers have at most 1 MiB', async () => {
    const { reader } = await api.tenant()
    const client = await reader()
    const document = { version: 1, monitors: { a: { name: 'n'.repeat(MIB) } } }
    const answer = await client.post('/configuration/plan', { document })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.details[0].message, 'must be at most 1 MiB')
  })

  test('of one key leave the plans of another one alone', async () => {
    const { client, reader } = await api.tenant()
    const { planId } = await plan(client, { version: 1, monitors: { a: smallest('HTTP') } })
    const other = await reader()
    for (let i = 0; i < 11; i += 1) await plan(other, { version: 1, monitors: { b: smallest('HTTP') } })
    assert.equal((await client.post('/configuration/apply', { planId })).status, 200)
  })
})
