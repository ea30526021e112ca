import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readKuma } from '../../src/importers/kuma/read.ts'
import { execute, q } from '../../src/storage/query.ts'
import { apply } from '../configuration/support.ts'
import { generateKuma } from '../importers/kuma/generate.ts'
import { listen } from '../outbound/fixtures.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { program } from '../support/pharos-process.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Forwards requests. `onImported` is called after each request that imported history; the client does not get its response. */
async function startForwarding(target: string, onImported: () => void) {
  const server = http.createServer((request, response) => {
    const { method, headers, url } = request
    const forwarded = http.request(`${target}${url}`, { method, headers }, (answer) => {
      if (url === '/api/v1/configuration/history') {
        answer.resume().on('end', onImported)
        return
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  })
  const listener = await listen(server)
  return { ...listener, url: `http://127.0.0.1:${listener.port}` }
}

function importHistory(url: string, { key }: TestServer, path: string): ChildProcess {
  const env = { ...process.env, PHAROS_URL: url, PHAROS_API_KEY: key }
  return spawn(process.execPath, [program, 'import-history', 'kuma', path], { env })
}

async function rollups({ running }: TestServer) {
  const days = await running.database.read(
    execute(q.selectFrom('rollup_days').selectAll().orderBy('num').orderBy('start_at')),
  )
  const hours = await running.database.read(
    execute(q.selectFrom('rollup_hours').selectAll().orderBy('num').orderBy('start_at')),
  )
  return { days, hours }
}

forEachEngine('an import of history that is killed', (engine) => {
  test('leaves what it has sent, and the next run has the same result as one that was not killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-kuma-'))
    const path = join(folder, 'kuma.db')
    // More than fit into one request.
    generateKuma(path, 100, 216_000)
    const clock = new HandClock(Date.UTC(2026, 10, 18, 12))
    await using server = await startTestServer(engine, { clock, env: { PHAROS_ROLES: 'api' } })
    const { document } = readKuma([{ name: 'kuma.db', path, bytes: new Uint8Array() }])
    await apply(server.client(), { version: 1, source: 'import-kuma', monitors: document.monitors })
    let killed: ChildProcess | undefined
    await using forwarding = await startForwarding(server.url, () => killed?.kill('SIGKILL'))
    killed = importHistory(forwarding.url, server, path)
    assert.deepEqual(await once(killed, 'exit'), [null, 'SIGKILL'])
    const partial = await rollups(server)
    const monitors = (rows: readonly { num: number }[]) => new Set(rows.map(({ num }) => num)).size
    assert.ok(monitors(partial.days) > 0 && monitors(partial.days) < 100, `${monitors(partial.days)} of 100 monitors`)
    const results: Awaited<ReturnType<typeof rollups>>[] = []
    for (const _run of ['again', 'and once more']) {
      const child = importHistory(server.url, server, path)
      assert.deepEqual(await once(child, 'exit'), [0, null])
      results.push(await rollups(server))
    }
    assert.equal(monitors(results[0]?.days ?? []), 100)
    assert.deepEqual(results[1], results[0])
    const kept = new Set(partial.days.map(({ num }) => num))
    assert.deepEqual(
      results[0]?.days.filter(({ num }) => kept.has(num)),
      partial.days,
    )
    rmSync(folder, { recursive: true })
  })
})
