import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { createGzip, gzipSync } from 'node:zlib'
import { checks, upload } from '../importers/stored-imports/upload.ts'
import { useApi } from '../support/api.ts'
import { emptyDataDir } from '../support/sqlite.ts'

describe('hostile uploads', () => {
  const dataDir = emptyDataDir()
  const api = useApi('sqlite', { dataDir })
  const send = (
    key: string,
    { source = 'source=healthchecks', content = checks as Uint8Array<ArrayBuffer>, headers = {} } = {},
  ) => upload({ url: api.server.url, key }, source, content, headers)
  const uploads = () => (existsSync(`${dataDir}/uploads`) ? readdirSync(`${dataDir}/uploads`) : [])

  test('gzip is accepted, and a bomb is refused without being stored', async () => {
    const { key, client } = await api.tenant()
    const headers = { 'content-encoding': 'gzip' }
    assert.equal((await send(key, { content: gzipSync(checks), headers })).status, 201)
    const cut = await send(key, { content: gzipSync(checks).subarray(0, -9), headers })
    assert.deepEqual([cut.status, cut.body.error.message], [400, 'body must be valid gzip'])
    const bomb = await send(key, { content: await zeros(600), headers })
    assert.deepEqual([bomb.status, bomb.body.error.message], [400, 'body must be at most 512 MiB'])
    assert.deepEqual(uploads(), [])
    assert.equal((await client.get('/imports')).body.pagination.total, 1)
  })

  test('a file of another kind is refused with what is expected', async () => {
    const { key } = await api.tenant()
    for (const content of [Buffer.from('hello'), Buffer.from('{"checks":'), Buffer.alloc(5000, 0xff), database()]) {
      const { status, body } = await send(key, { content })
      assert.equal(status, 400, JSON.stringify(body))
      assert.doesNotMatch(body.error.message, /at Object|node:|\/src\//)
    }
    assert.deepEqual(uploads(), [])
  })

  test('requests without usable files are refused', async () => {
    const { key, client } = await api.tenant()
    const json = await client.post('/imports?source=healthchecks', {})
    assert.equal(json.body.error.message, 'content-type must be application/octet-stream')
    const encoded = await send(key, { headers: { 'content-encoding': 'br' } })
    assert.equal(encoded.body.error.details[0].path, 'content-encoding')
    const short = await send(key, { source: 'source=healthchecks&files=a.json:5,b.json:99999' })
    assert.equal(short.body.error.message, 'body must be as long as the files together')
    const unknown = await send(key, { source: 'source=nagios' })
    assert.equal(unknown.body.error.details[0].path, 'source')
    const unsized = await send(key, { source: 'source=healthchecks&files=a,b' })
    assert.equal(unsized.body.error.details[0].path, 'files')
  })

  test('one upload of an organization runs at a time, and one that breaks off leaves nothing', async () => {
    const { key } = await api.tenant()
    const gone = new AbortController()
    const begun = Promise.withResolvers<void>()
    async function* slowly() {
      yield checks.subarray(0, 10)
      begun.resolve()
      await new Promise((resolve) => gone.signal.addEventListener('abort', resolve))
    }
    const first = fetch(`${api.server.url}/api/v1/imports?source=healthchecks`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/octet-stream' },
      body: slowly(),
      duplex: 'half',
      signal: gone.signal,
    } as object)
    first.catch(() => undefined)
    await begun.promise
    while (uploads().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal((await send(key)).status, 409)
    gone.abort()
    await assert.rejects(first)
    while (uploads().length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal((await send(key)).status, 201)
  })
})

/** A SQLite database with a view that never ends and a trigger. */
function database(): Buffer<ArrayBuffer> {
  const db = new DatabaseSync(':memory:')
  db.exec(`create table log (x);
    create view monitor as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id from n;
    create trigger t after insert on log begin delete from log; end`)
  const { serialize } = db as unknown as { serialize?: () => Uint8Array }
  return serialize === undefined ? Buffer.from('SQLite format 3\0') : Buffer.from(serialize.call(db))
}

/** So many MiB, compressed to a thousandth. */
async function zeros(mebibytes: number): Promise<Buffer<ArrayBuffer>> {
  const gzip = createGzip()
  const part = Buffer.alloc(1024 * 1024)
  void (async () => {
    for (let i = 0; i < mebibytes; i += 1) {
      if (!gzip.write(part)) await new Promise((resolve) => gzip.once('drain', resolve))
    }
    gzip.end()
  })()
  return Buffer.concat(await gzip.toArray())
}
