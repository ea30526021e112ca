import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Type from 'typebox'
import { type Deprecation, type Operation, operation } from '../../../src/contract/operation.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { useApi } from '../../support/api.ts'
import { call, monitorOperations } from '../../support/contract.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import type { Answer } from '../../support/server.ts'
import { startTestServer } from '../../support/server.ts'

const notice: Deprecation = {
  since: new Date('2026-01-01T00:00:00Z'),
  sunset: new Date('2026-06-30T00:00:00Z'),
  link: 'https://pharos.example/docs/legacy',
}

/** An operation that only this test has. */
function legacy(method: 'GET' | 'POST', deprecated: Deprecation): Operation {
  return operation({
    id: `${method.toLowerCase()}Legacy`,
    method,
    path: '/legacy',
    access: method === 'GET' ? 'read' : 'write',
    tag: 'Monitors',
    summary: 'Does what it always did',
    query: Type.Object({ limit: Type.Optional(Type.Integer()) }),
    answer: { status: 200, schema: Type.Object({ done: Type.Boolean() }), description: 'Done' },
    deprecated,
    // biome-ignore lint/correctness/useYield: no database access
    *handle() {
      return { done: true }
    },
  })
}

function notes({ headers }: Answer): (string | null)[] {
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
}

/** RFC 9745: a structured date; RFC 8594: an HTTP date; RFC 8288: a link with rel=deprecation. */
const expected = ['@1767225600', 'Tue, 30 Jun 2026 00:00:00 GMT']

function expectNotes(answer: Answer): void {
  const [deprecation, sunset, link] = notes(answer)
  assert.deepEqual([deprecation, sunset], expected, `on ${answer.status}`)
  assert.match(link ?? '', /^<https:\/\/pharos\.example\/docs\/legacy>(;.*)?;\s*rel="?deprecation"?(;|$)/)
}

describe('deprecation', () => {
  const api = useApi('sqlite', {
    operations: [...operations, legacy('GET', notice), legacy('POST', notice)],
    env: { PHAROS_RATE_LIMIT: '100' },
  })

  test('a deprecated operation still works and carries Deprecation, Sunset and Link', async () => {
    const { client } = await api.tenant()
    for (const method of ['GET', 'HEAD', 'POST']) {
      const answer = await client.send(method, '/legacy')
      assert.equal(answer.status, 200)
      expectNotes(answer)
    }
  })

  test('errors and replays carry them too', async () => {
    const { client, reader } = await api.tenant()
    const readOnly = await reader()
    const key = { 'idempotency-key': 'again' }
    await client.post('/legacy', undefined, key)
    const answers = [
      await client.get('/legacy?limit=x'),
      await client.post('/legacy', { unknown: 1 }),
      await client.post('/legacy', undefined, { 'idempotency-key': '?' }),
      await readOnly.post('/legacy'),
      await client.post('/legacy', undefined, key),
      await api.clientWith({}).get('/legacy'),
    ]
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [400, 400, 400, 403, 200, 401],
    )
    for (const answer of answers) expectNotes(answer)
    await Promise.all(Array.from({ length: 100 }, () => client.get('/monitors')))
    const over = await client.get('/legacy')
    assert.equal(over.status, 429)
    expectNotes(over)
  })

  test('no other operation carries any of the three', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    for (const operation of monitorOperations) {
      assert.deepEqual(notes(await call(client, operation, id)), [null, null, null], operation.name)
    }
    assert.deepEqual(notes(await client.send('PUT', '/legacy', {})), [null, null, null])
  })

  test('the document flags a deprecated operation, and no other', async () => {
    const flagged = Object.entries(api.contract.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, described]) => (described as { deprecated?: boolean }).deprecated === true)
        .map(([method]) => `${method} ${path}`),
    )
    assert.deepEqual(flagged.sort(), ['get /api/v1/legacy', 'post /api/v1/legacy'])
  })

  test('a server with less than 180 days between notice and shutdown does not start; with 180 it does', async () => {
    const sunset = (days: number) => new Date(notice.since.getTime() + days * 86_400_000)
    const start = async (days: number): Promise<void> => {
      await using _ = await startTestServer('sqlite', {
        operations: [legacy('GET', { ...notice, sunset: sunset(days) })],
      })
    }
    await assert.rejects(start(179.9), /180 days/)
    await start(180)
  })
})
