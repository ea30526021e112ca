import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { SQLITE_FILE } from '../../src/storage/sqlite/database.ts'
import { listen } from '../outbound/fixtures.ts'
import { savedEnv } from '../storage/saved-databases/content.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../support/server.ts'

const baseline = join(import.meta.dirname, '../storage/saved-databases/baseline.sqlite.gz')
const START_LIMIT_MS = 90_000
const CHECK_LIMIT_MS = 60_000

/** What an installation is started with, besides its data folder and port. */
export const settings = {
  ...savedEnv,
  PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
  PHAROS_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
}

/** The database of the baseline schema, with one resource of each kind. */
export function savedDatabase(): Buffer {
  return gunzipSync(readFileSync(baseline))
}

export function writeSavedDatabase(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, SQLITE_FILE), savedDatabase(), { mode: 0o600 })
}

export interface PackagedServer extends AsyncDisposable {
  readonly url: string
  readonly client: () => Client
  /** From the start of the process until /readyz answers. */
  readonly readyMs: number
  /** The resident memory of the process in MB, and the part that belongs to it alone. */
  memory(): { residentMb: number; ownMb: number }
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
}

/** Starts an installed Pharos in the working directory of the command and waits until it is ready. */
export async function startPackaged(
  command: readonly string[],
  { port, cwd, env }: { readonly port: number; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<PackagedServer> {
  const [file = '', ...args] = command
  const startedAt = performance.now()
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) {
    const hasFailed = child.exitCode !== null || performance.now() - startedAt > START_LIMIT_MS
    if (hasFailed) child.kill('SIGKILL')
    assert.ok(!hasFailed, `The server did not start:\n${output}`)
    await delay(10)
  }
  return {
    url,
    client: () => clientOf(url, { 'x-api-key': BOOTSTRAP_KEY }),
    readyMs: Math.round(performance.now() - startedAt),
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const mb = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000)
      return { residentMb: mb('VmRSS'), ownMb: mb('RssAnon') }
    },
    async stop() {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}

/** A monitor of a local web server goes up, and a status page shows it. */
export async function assertMonitors(server: PackagedServer): Promise<void> {
  await using target = await listen(createServer((_request, response) => response.end('ok')))
  const client = server.client()
  const url = `http://127.0.0.1:${target.port}/`
  const monitor = await client.post('/monitors', { name: 'Packaged', type: 'HTTP', url })
  assert.equal(monitor.status, 201, JSON.stringify(monitor.body))
  const deadline = performance.now() + CHECK_LIMIT_MS
  const read = async () => (await client.get(`/monitors/${monitor.body.id}`)).body.state
  let state = await read()
  for (; state !== 'UP' && performance.now() < deadline; state = await read()) await delay(100)
  assert.equal(state, 'UP')
  const page = await client.post('/status-pages', {
    name: 'Status of packages',
    slug: 'packaged',
    published: true,
    sections: [{ name: 'Services', monitors: [{ monitorId: monitor.body.id }] }],
  })
  assert.equal(page.status, 201, JSON.stringify(page.body))
  const html = await (await fetch(`${server.url}/status/packaged`)).text()
  for (const text of ['Status of packages', 'Packaged']) assert.ok(html.includes(text), html)
  assert.equal((await fetch(`${server.url}/setup`)).status, 200, 'the dashboard is served')
  assert.equal((await fetch(`${server.url}/docs`)).status, 200, 'the reference is served')
}
