import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { FRESH_MS, PageCache } from '../../../src/publishing/public-site/page-cache.ts'
import { home, type Target, targetOf } from '../../../src/publishing/public-site/targets.ts'
import type { Database } from '../../../src/storage/database.ts'
import { HandClock } from '../../support/clock.ts'
import { failReads } from '../../support/database-faults.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { addDailyRollups, createMonitor, createPage, fetchPage, setMonitorState } from './fixtures.ts'

const start = (engine: 'sqlite' | 'postgres', clock = new HandClock()): Promise<TestServer> =>
  startTestServer(engine, { clock, env: { PHAROS_ROLES: 'api' } })

forEachEngine('the bytes of a page', (engine) => {
  test('are sent in the best accepted encoding, with the same content in each', async () => {
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

  test('are answered with 304 if the client has them', async () => {
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

  test('are rendered again after two seconds with the new check results', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const id = await createMonitor(server.client(), 'A')
    await setMonitorState(server, id, 'UP', clock.now())
    const page = await createPage(server.client(), [id])
    const url = `${server.url}/status/${page.slug}`
    assert.match((await fetchPage(url)).text, /All systems operational/)
    await setMonitorState(server, id, 'DOWN', clock.now())
    clock.advance(FRESH_MS - 1)
    assert.match((await fetchPage(url)).text, /All systems operational/)
    clock.advance(1)
    assert.match((await fetchPage(url)).text, /Major outage/)
  })

  test('are served with a note about their age while the database is unavailable', async () => {
    const clock = new HandClock(Date.UTC(2026, 0, 5, 12))
    await using server = await start(engine, clock)
    const page = await createPage(server.client(), [await createMonitor(server.client(), 'A')])
    const url = `${server.url}/status/${page.slug}`
    assert.doesNotMatch((await fetchPage(url)).text, /Live data is temporarily unavailable/)
    await using _unavailable = await failReads(server.running.database)
    clock.advance(14 * MINUTE_MS)
    const { status, text, headers } = await fetchPage(url)
    assert.equal(status, 200)
    assert.match(
      text,
      /Live data is temporarily unavailable\. Showing the status as of Jan 5, 2026, 12:00\sPM \(14 min ago\)\./,
    )
    assert.match(text, /<bdi>A<\/bdi>/)
    assert.deepEqual([headers.age, headers['cache-control']], ['840', 'no-store'])
    clock.advance(MINUTE_MS)
    assert.match((await fetchPage(url)).text, /15 min ago/)
    const other = await fetchPage(`${url}/history`)
    assert.equal(other.status, 503)
    assert.match(other.text, /Page temporarily unavailable/)
    assert.equal(other.headers['retry-after'], '5')
  })
})

function newCache(server: TestServer, clock: HandClock, database: Database): PageCache {
  const options = { log: silentLog, poweredBy: true, canMail: false, requiresDomainProof: false }
  return new PageCache({ ...options, database, clock, baseUrl: () => server.url })
}

/** Counts the reads and can delay their results. */
function observe(database: Database) {
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
    /** Resolves when the latest read is done, even if its result is delayed. */
    async done() {
      await latest
    },
    /** Delays the results of all later reads until the returned function is called. */
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

forEachEngine('the page cache', (engine) => {
  async function cacheOf(server: TestServer, clock: HandClock) {
    const page = await createPage(server.client(), [], { name: 'First' })
    const observed = observe(server.running.database)
    const cache = newCache(server, clock, observed.database)
    const find = async () => {
      const found = await cache.find({ slug: page.slug }, '', home)
      return 'content' in found ? (await found.content.variant('identity')).body.toString() : undefined
    }
    return { ...observed, page, cache, find }
  }

  test('ten thousand concurrent requests cause one read, after one that finds the page', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, reads } = await cacheOf(server, clock)
    const pages = await Promise.all(Array.from({ length: 10_000 }, find))
    assert.equal(reads(), 2)
    assert.equal(new Set(pages).size, 1)
  })

  test('requests after a change do not share a read that began before it', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, hold, done, cache, page } = await cacheOf(server, clock)
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

  test('a read that began before a change is not cached', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, hold, done, cache, page, reads } = await cacheOf(server, clock)
    const before = find()
    const release = hold()
    await eventually(async () => assert.equal(reads(), 2, 'the page was found and is being read'))
    await done()
    await server.client().patch(`/status-pages/${page.id}`, { name: 'Second' })
    cache.changed(await server.defaultOrgId())
    release()
    assert.match((await before) ?? '', /First/)
    assert.match((await find()) ?? '', /Second/)
  })

  test('a cached page is served if the database does not answer in time', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const { find, hold } = await cacheOf(server, clock)
    await find()
    clock.advance(MINUTE_MS)
    const release = hold()
    assert.match((await find()) ?? '', /Live data is temporarily unavailable.*1 min ago/)
    release()
    clock.advance(FRESH_MS)
    // Requests that come before the late read has ended do not wait for it.
    await eventually(async () => assert.doesNotMatch((await find()) ?? '', /Live data is temporarily unavailable/))
  })
})

/** Delays the data of pages, and records whose are being read and the order in which they were read. */
function recordReads(database: Database) {
  const running: string[] = []
  const record = { order: [] as string[], mostInAll: 0, mostOfOne: 0 }
  const read: Database['read'] = async (work) => {
    const found = await database.read(work)
    const { render, page } = (found ?? {}) as { render?: unknown; page?: { org_id: string } }
    if (render === undefined || page === undefined) return found
    const { org_id: orgId } = page
    running.push(orgId)
    record.mostInAll = Math.max(record.mostInAll, running.length)
    record.mostOfOne = Math.max(record.mostOfOne, running.filter((other) => other === orgId).length)
    await setTimeout(5)
    running.splice(running.indexOf(orgId), 1)
    record.order.push(orgId)
    return found
  }
  return { database: { ...database, read }, record }
}

forEachEngine('the queue of renderings', (engine) => {
  test('one page of an organization is rendered at a time, four in all, and organizations take turns', async () => {
    const clock = new HandClock()
    await using server = await start(engine, clock)
    const pages: { slug: string; orgId: string }[] = []
    for (let i = 0; i < 6; i += 1) {
      const { orgId, key } = await server.organization('FREE')
      pages.push({ orgId, slug: (await createPage(server.client(key), [])).slug })
    }
    const { database, record } = recordReads(server.running.database)
    const cache = newCache(server, clock, database)
    const [first, ...others] = pages as [(typeof pages)[number], ...typeof pages]
    const days = Array.from({ length: 12 }, (_, i) => new Date(clock.now() - i * DAY_MS).toISOString().slice(0, 10))
    const finds = days.map((day) => {
      const target = targetOf(`/days/${day}`, new URLSearchParams()) as Target
      return cache.find({ slug: first.slug }, '', target)
    })
    for (const { slug } of others) finds.push(cache.find({ slug }, '', home))
    for (const found of await Promise.all(finds)) assert.ok('content' in found)
    assert.equal(record.order.length, 17)
    assert.equal(record.mostOfOne, 1)
    assert.ok(record.mostInAll <= 4, `${record.mostInAll} in all`)
    const last = Math.max(...others.map(({ orgId }) => record.order.indexOf(orgId)))
    assert.ok(last < 12, `the others were done at ${last}, before the pages of the first`)
  })
})

forEachEngine('a large page', (engine) => {
  test('with 50 monitors of 90 days each is at most 20 KB with gzip', async () => {
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
    const down = gunzipSync(bytes)
      .toString()
      .matchAll(/class="(l )?down"/g)
    assert.ok([...down].length > 50, 'trouble is on it')
    assert.ok(bytes.length <= 20 * 1024, `${bytes.length} bytes`)
  })
})
