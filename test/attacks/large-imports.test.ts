import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { upload } from '../importers/stored-imports/upload.ts'
import { useApi } from '../support/api.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { MAX_SINGLE_TURN_MS } from './short-turns.ts'

const MIB = 1024 * 1024
const gzipped = { 'content-encoding': 'gzip' }

/** A dump of Uptime Kuma with pinned incidents, whose texts are in the reasons of the report. */
function dumpOf(rows: number, chars: number): Buffer {
  const text = 'x'.repeat(chars)
  const incidents = Array.from({ length: rows }, (_, i) => `(${i},'Incident ${i}','${text}',1,1)`)
  const monitor = 'CREATE TABLE `monitor` (\n  `id` int,\n);'
  const columns = '(`id`,`title`,`content`,`pin`,`active`)'
  return Buffer.from(`${monitor}\nINSERT INTO \`incident\` ${columns} VALUES\n${incidents.join(',\n')};`)
}

/** Checks of Healthchecks whose descriptions of 3,900 characters do not compress. */
function checksOf(count: number): Buffer<ArrayBuffer> {
  const checks = Array.from({ length: count }, (_, i) => {
    const desc = randomBytes(2_900).toString('base64')
    return {
      name: `Job ${i}`,
      uuid: `82d1c55c-aba1-4968-a08c-${`${i}`.padStart(12, '0')}`,
      grace: 600,
      timeout: 3600,
      desc,
    }
  })
  return Buffer.from(JSON.stringify({ checks }))
}

describe('imports of hostile files', () => {
  const api = useApi('sqlite')

  /** Without parsing the answer, which would count. */
  const request = async (key: string, method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
    const json = body && JSON.stringify(body)
    const response = await fetch(`${api.server.url}/api/v1${path}`, { method, headers, ...(json && { body: json }) })
    return { status: response.status, bytes: await response.bytes() }
  }
  const measured = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const turns = measureTurns()
    const result = await work()
    const longestMs = turns.stop()
    assert.ok(longestMs < MAX_SINGLE_TURN_MS, `${what}: ${longestMs} ms of CPU time in one turn`)
    return result
  }

  test('a report that would have 114 MiB is cut before it reaches the server, and eight reads of it block nobody', async () => {
    const { key, orgId, client } = await api.tenant()
    const content = gzipSync(dumpOf(1_200, 100_000), { level: 1 }) as Buffer<ArrayBuffer>
    const { status, body } = await measured('the upload', () =>
      upload({ url: api.server.url, key }, 'source=kuma&files=kuma.sql', content, gzipped),
    )
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(body.counts, { mapped: 0, mappedWithLosses: 0, notSupported: 1_200, notMonitors: 0 })
    const path = `/imports/${body.id}`
    const reader = (await api.server.makeKey(orgId, 'read-only')).key
    const answers = await measured('eight reads', () =>
      Promise.all(Array.from({ length: 8 }, () => request(reader, 'GET', path))),
    )
    for (const { status: got, bytes } of answers) {
      assert.equal(got, 200)
      assert.ok(bytes.length < MIB, `${bytes.length} bytes`)
    }
    const { objects, pagination } = (await client.get(`${path}?offset=1190&limit=5`)).body
    assert.deepEqual(pagination, { limit: 5, offset: 1190, total: 1_200 })
    assert.deepEqual(
      objects.map(({ name, reason }: { name: string; reason: string }) => [name, reason.length]),
      [1190, 1191, 1192, 1193, 1194].map((i) => [`Incident ${i}`, 500]),
    )
  })

  test('a document of 13 MiB that does not compress is stored and planned without blocking others', async () => {
    const { key, client } = await api.tenant()
    const content = checksOf(3_000)
    const { status, body } = await measured('the upload', () =>
      upload({ url: api.server.url, key }, 'source=healthchecks', content),
    )
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.counts.mapped, 3_000)
    const planned = await measured('the plan', () => request(key, 'POST', `/imports/${body.id}/plan`, {}))
    assert.equal(planned.status, 200)
    const { pagination } = (await client.get(`/imports/${body.id}`)).body
    assert.deepEqual(pagination, { limit: 1000, offset: 0, total: 3_000 })
    // The next plans and imports of the suite should not wait for this one.
    assert.equal((await client.delete(`/imports/${body.id}`)).status, 200)
  })

  test('a document of more than 16 MiB is refused', async () => {
    const { key, client } = await api.tenant()
    const { status, body } = await upload({ url: api.server.url, key }, 'source=healthchecks', checksOf(4_500))
    assert.equal(status, 400)
    assert.match(body.error.message, /more than can be imported at once: their document has more than 16 MiB/)
    assert.equal((await client.get('/imports')).body.pagination.total, 0)
  })

  test('values of variables cannot make a document larger than 16 MiB', async () => {
    const { key, client } = await api.tenant()
    const endpoint = (i: number) =>
      `  - {name: e${i}, url: "https://example.com/\${BIG}\${BIG}", conditions: ["[STATUS] == 200"]}`
    const config = `endpoints:\n${Array.from({ length: 1_000 }, (_, i) => endpoint(i)).join('\n')}\n`
    const { status, body } = await upload({ url: api.server.url, key }, 'source=gatus', Buffer.from(config))
    assert.equal(status, 201, JSON.stringify(body))
    const path = `/imports/${body.id}/plan`
    const refused = await client.post(path, { variableValues: { BIG: 'x'.repeat(10_000) } })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error.message, 'variableValues make the document larger than 16 MiB')
    // A control character has six in JSON.
    const escaped = await client.post(path, { variableValues: { BIG: '\u0001'.repeat(5_000) } })
    assert.equal(escaped.body.error.message, 'variableValues make the document larger than 16 MiB')
    assert.equal((await client.post(path, { variableValues: { BIG: 'x' } })).status, 200)
  })
})
