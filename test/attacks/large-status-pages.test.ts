import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { addDailyRollups, createMonitor } from '../publishing/public-site/fixtures.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { forEachEngine } from '../support/engines.ts'
import { expectError } from '../support/monitors.ts'
import { startTestServer } from '../support/server.ts'

const PAGES = 20
const SECTIONS = 50
const MONITORS = 20
/** Such a page takes about 10 ms. With bars for all entries, and several pages in one turn, a turn took 100 to 300 ms. */
const MAX_TURN_MS = 50

/** Opens a connection for each URL, then sends all requests at the same moment. Returns the statuses. */
async function requestAtOnce(urls: readonly URL[]): Promise<string[]> {
  const sockets = urls.map(({ port, hostname }) => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const [i, { host, pathname }] of urls.entries()) {
    sockets[i]?.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  }
  const answers = await Promise.all(sockets.map((socket) => text(socket)))
  return answers.map((answer) => answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
}

forEachEngine('20 pages of 1,000 entries that visitors request at the same moment', (engine) => {
  test('are read and rendered in turns of the event loop of their own', async (t) => {
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    const client = server.client()
    const ids: string[] = []
    for (let i = 0; i < MONITORS; i += 1) {
      const id = await createMonitor(client, `Monitor ${i}`)
      await addDailyRollups(server, id, 30, Date.now(), () => ({ downMs: 60_000 }))
      ids.push(id)
    }
    const sections = Array.from({ length: SECTIONS }, (_, i) => ({
      name: `Section ${i}`,
      monitors: ids.map((monitorId) => ({ monitorId })),
    }))
    const tooMany = [
      ...sections.slice(0, -1),
      { name: 'Last', monitors: [...ids, ids[0]].map((monitorId) => ({ monitorId })) },
    ]
    const refused = await client.post('/status-pages', { name: 'Large', sections: tooMany })
    expectError(refused, 'validation_error')
    const message = 'exceeds the limit of 1,000 monitors per page; remove some'
    assert.partialDeepStrictEqual(refused.body.error.details, [{ path: 'sections.49.monitors.20', message }])
    const urls: URL[] = []
    for (let i = 0; i < PAGES; i += 1) {
      const { body, status } = await client.post('/status-pages', { name: `Page ${i}`, sections })
      assert.equal(status, 201, JSON.stringify(body))
      urls.push(new URL(`${server.url}/status/${body.slug}`))
      if (i === 0)
        expectError(await client.patch(`/status-pages/${body.id}`, { sections: tooMany }), 'validation_error')
    }
    // Compiles the code first.
    for (const url of urls.slice(0, 3)) await requestAtOnce([url])
    const turns = measureTurns()
    const statuses = await requestAtOnce(urls)
    const longestMs = turns.stop()
    t.diagnostic(`the longest turn took ${longestMs.toFixed(0)} ms of CPU time`)
    assert.deepEqual(statuses, Array(PAGES).fill('200'))
    assert.ok(longestMs < MAX_TURN_MS, `${longestMs} ms of CPU time in one turn`)
  })
})
