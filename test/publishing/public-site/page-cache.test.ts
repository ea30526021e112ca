import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { FRESH_MS, PageCache } from '../../../src/publishing/public-site/page-cache.ts'
import { home } from '../../../src/publishing/public-site/targets.ts'
import type { Database } from '../../../src/storage/database.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { addDailyRollups, createMonitor, createPage, fetchPage, setMonitorState } from './fixtures.ts'

const start = (engine: 'sqlite' | 'postgres', clock = new HandClock()): Promise<TestServer> =>
  startTestServer(engine, { clock, env: { PHAROS_ROLES: 'api' } })

forEachEngine('the bytes of a page', (engine) => {
  test('come in the best encoding that a client takes, and the same in each', async () => {
    await using server = await start(engine)
    const page = await createPage(server.client(), [await createMonitor(server.client(), 'A')])
    const url = `${server.url}/status/${page.slug}`
    const take = (encoding: string) => fetchPage(url, { headers: { 'accept-encoding': encoding } })
    const [plain, zipped, brotli] = [
      await fetchPage(url),
      await take('deflate, GZIP;q=0.5'),
      await take('gzip, br, zstd'),
    ]
    assert.deepEqual(
      [plain, zipped, brotli].map(({ headers }) => headers['content-encoding']),
      [undefined, 'gzip', 'br'],
    )
    assert.equal(gunzipSync(zipped.bytes).toString(), plain.text)
    assert.equal(brotliDecompressSync(brotli.bytes).toString(), plain.text)
    assert.equal((await take('br;q=0, gzip;q=0.0, identity')).headers['content-encoding'], undefined)
    assert.equal(new Set([plain, zipped, brotli].map(({ headers }) => headers.etag)).size, 3)
    for (const { headers } of [plain, zipped, brotli]) {
      assert.equal(headers.vary, 'accept-encoding')
      assert.equal(headers['cache-control'], 'public, max-age=2, stale-if-error=86400')
    }
  })

  test('are not sent again to who has them', async () => {
    await using server = await start(engine)
    const page = await createPage(server.client(), [])
    const url = `${server.url}/status/${page.slug}`
    const { headers } = await fetchPage(url)
    for (const tag of [headers.etag, `"x", ${headers.etag}`, `W/${headers.etag}`, '*']) {
      const again = await fetchPage(url, { headers: { 'if-none-match': String(tag) } })
      assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, headers.etag])
      assert.equal(again.headers['content-length'], undefined)
      assert.ok(again.headers['content-security-policy'])
    }
    assert.equal((await fetchPage(url, { headers: { 'if-none-match': '"x"' } })).status, 200)
    await server.client().patch(`/status-pages/${page.id}`, { name: 'Another name' })
    assert.equal((await fetchPage(url, { headers: { 'if-none-match': String(headers.etag) } })).status, 200)
  })

  test('are drawn anew after two seconds, when what the checks found has changed', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const id = await createMonitor(server.client(), 'A')
    await setMonitorState(server, id, 'UP', clock.now())
    const page = await createPage(server.client(), [id])
    const url = `${server.url}/status/${page.slug}`
    assert.match((await fetchPage(url)).text, /All systems are operational/)
    await setMonitorState(server, id, 'DOWN', clock.now())
    clock.advance(FRESH_MS - 1)
    assert.match((await fetchPage(url)).text, /All systems are operational/)
    clock.advance(1)
    assert.match((await fetchPage(url)).text, /Major outage/)
  })

  test('are shown as they were while the database is away, and say how old they are', async () => {
    const clock = new HandClock(Date.UTC(2026, 0, 5, 12))
    await using server = await start(engine, clock)
    const page = await createPage(server.client(), [await createMonitor(server.client(), 'A')])
    const url = `${server.url}/status/${page.slug}`
    assert.doesNotMatch((await fetchPage(url)).text, /Live data cannot be read/)
    goAway(server.running.database)
    clock.advance(14 * MINUTE_MS)
    const { status, text, headers } = await fetchPage(url)
    assert.equal(status, 200)
    assert.match(
      text,
      /Live data cannot be read at the moment\. This is how things stood at Jan 5, 2026, 12:00 UTC, 14 min ago\./,
    )
    assert.match(text, /<bdi>A<\/bdi>/)
    assert.deepEqual([headers.age, headers['cache-control']], ['840', 'no-store'])
    clock.advance(MINUTE_MS)
    assert.match((await fetchPage(url)).text, /15 min ago/)
    const other = await fetchPage(`${url}/history`)
    assert.equal(other.status, 503)
    assert.match(other.text, /This page cannot be shown right now/)
    assert.equal(other.headers['retry-after'], '5')
  })
})

/** Lets every read fail in the way in which the engine's own do; the server can still be stopped. */
function goAway(database: Database): void {
  const gone = new Error('connect ECONNREFUSED')
  const fail = (): never => {
    throw gone
  }
  Object.assign(database, { read: database.engine === 'sqlite' ? fail : () => Promise.reject(gone) })
}

interface Watched {
  readonly database: Database
  readonly reads: () => number
  /** What is read from now on arrives only when the answer is called; it is what was there when it was read. */
  readonly hold: () => () => void
  /** Waits until the latest reading is done, though it may not have arrived. */
  readonly done: () => Promise<void>
}

/** The same database, with a count of what is read and a way to hold it up. */
function watched(database: Database): Watched {
  let reads = 0
  let latest: unknown
  let held: Promise<void> | undefined
  const read: Database['read'] = (work) => {
    reads += 1
    const found = database.read(work)
    latest = found
    return held === undefined ? found : held.then(() => found)
  }
  return {
    database: { ...database, read },
    reads: () => reads,
    async done() {
      await latest
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = undefined
        resolve()
      }
    },
  }
}

forEachEngine('what is kept of pages', (engine) => {
  async function stage(server: TestServer, clock: HandClock) {
    const page = await createPage(server.client(), [], { name: 'First' })
    const seen = watched(server.running.database)
    const options = { database: seen.database, clock, log: silentLog, baseUrl: () => server.url, canMail: false }
    const cache = new PageCache(options)
    const find = async () => {
      const found = await cache.find({ slug: page.slug }, '', home)
      return 'content' in found ? (await found.content.variant('identity')).body.toString() : undefined
    }
    return { ...seen, page, cache, find }
  }

  test('ten thousand visitors cost one reading', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, reads } = await stage(server, clock)
    const pages = await Promise.all(Array.from({ length: 10_000 }, find))
    assert.equal(reads(), 1)
    assert.equal(new Set(pages).size, 1)
  })

  test('a reading that a change overtook is shown to nobody who comes after the change', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, hold, done, cache, page } = await stage(server, clock)
    assert.match((await find()) ?? '', /First/)
    clock.advance(FRESH_MS)
    const release = hold()
    const before = find()
    await done()
    await server.client().patch(`/status-pages/${page.id}`, { name: 'Second' })
    cache.changed(await server.defaultOrgId())
    const after = find()
    await done()
    release()
    assert.match((await before) ?? '', /First/)
    assert.match((await after) ?? '', /Second/)
    assert.match((await find()) ?? '', /Second/)
  })

  test('a reading that a change overtook is kept for nobody', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, hold, done, cache, page } = await stage(server, clock)
    const release = hold()
    const before = find()
    await done()
    await server.client().patch(`/status-pages/${page.id}`, { name: 'Second' })
    cache.changed(await server.defaultOrgId())
    release()
    assert.match((await before) ?? '', /First/)
    assert.match((await find()) ?? '', /Second/)
  })

  test('a database that does not answer in time is not waited for by who can be shown something', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, hold } = await stage(server, clock)
    await find()
    clock.advance(MINUTE_MS)
    const release = hold()
    assert.match((await find()) ?? '', /Live data cannot be read.*1 min ago/)
    release()
    await eventually(async () => {
      clock.advance(FRESH_MS)
      assert.ok(!(await find())?.includes('Live data cannot be read'), 'it is read again')
    })
  })
})

forEachEngine('a large page', (engine) => {
  test('of 50 monitors with 90 days each is at most 20 KB in gzip', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const client = server.client()
    const ids: string[] = []
    for (let i = 0; i < 50; i += 1) {
      const id = await createMonitor(client, `System number ${i} of the installation`)
      ids.push(id)
      await addDailyRollups(server, id, 90, clock.now(), (back) => {
        const fate = (i * 7919 + back * 104_729) % 40
        if (fate === 0) return { downMs: (1 + ((i * back) % 200)) * MINUTE_MS }
        return fate === 1 ? { degradedMs: (1 + ((i + back) % 500)) * MINUTE_MS } : {}
      })
    }
    const page = await createPage(client, ids, { showResponseTimes: true })
    const headers = { 'accept-encoding': 'gzip' }
    const { status, bytes } = await fetchPage(`${server.url}/status/${page.slug}`, { headers })
    assert.equal(status, 200)
    assert.ok(
      (
        gunzipSync(bytes)
          .toString()
          .match(/#b-down" x=/g) ?? []
      ).length > 50,
      'trouble is on it',
    )
    assert.ok(bytes.length <= 20 * 1024, `${bytes.length} bytes`)
  })
})
