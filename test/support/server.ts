import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type Dispatcher, request } from 'undici'
import { insertKey } from '../../src/accounts/keys/insert.ts'
import { createOrganization } from '../../src/accounts/organizations/create.ts'
import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import type { PlanName } from '../../src/accounts/plans/plans.ts'
import { issueSetupToken } from '../../src/accounts/sign-in/set-up.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { useHashingCost } from '../../src/lib/passwords.ts'
import { type Config, readConfig } from '../../src/server/config/config.ts'
import { dashboardFolder, readDashboard } from '../../src/server/dashboard/static-files.ts'
import { type RunningServer, type StartOptions, startPharos } from '../../src/server/start.ts'
import type { Engine } from '../../src/storage/database.ts'
import { migratedDatabase } from './postgres.ts'
import { emptyDataDir, migratedDataDir } from './sqlite.ts'

/** The lowest cost that argon2 permits. */
export const LOWEST_COST = { memory: 8, passes: 1, parallelism: 1 }

useHashingCost(LOWEST_COST)

/** Of all servers in this process, so that its files are compressed once. */
let dashboard: StartOptions['dashboard']

/** One key for all nodes of a test. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

export const BOOTSTRAP_KEY = `phr_${'b'.repeat(43)}`

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly running: RunningServer
  /** Of a setup link; undefined once there is a user. */
  readonly setupToken: string | undefined
  /** The full-access key of the organization `default`. */
  readonly key: string
  /** A client with the given key, by default `key`. */
  client(key?: string): Client
  /** Creates an organization with a full-access key. */
  organization(plan: PlanName): Promise<{ orgId: string; key: string }>
  makeKey(
    orgId: string,
    access: 'full' | 'read-only',
    expiresAt?: number | null,
  ): Promise<{ keyId: string; key: string }>
  defaultOrgId(): Promise<string>
  stop(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** The body of an answer that must have this status. */
export function bodyOf({ status, body }: Answer, expected: 200 | 201 = 200): Answer['body'] {
  assert.equal(status, expected, JSON.stringify(body))
  return body
}

export interface Client {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
}

export interface TestServerOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: Clock
  readonly operations?: StartOptions['operations']
  readonly timeouts?: StartOptions['timeouts']
  readonly alertPace?: StartOptions['alertPace']
  readonly slowReaders?: StartOptions['slowReaders']
  readonly node?: StartOptions['node']
  readonly migrations?: StartOptions['migrations']
  /** An existing database, for another node or a restart. */
  readonly databaseUrl?: string
  readonly dataDir?: string
}

/** A server in this process, on a free port and with its own database. */
export async function startTestServer(engine: Engine, options: TestServerOptions = {}): Promise<TestServer> {
  const { env = {}, clock = systemClock, operations, timeouts, alertPace, slowReaders, node, migrations } = options
  const dataDir = options.dataDir ?? (engine === 'sqlite' ? await migratedDataDir() : emptyDataDir())
  const created = engine === 'postgres' && options.databaseUrl === undefined ? await migratedDatabase() : undefined
  const databaseUrl = options.databaseUrl ?? created?.url
  const config = testConfig({ ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }), ...env }, dataDir)
  dashboard ??= readDashboard(dashboardFolder)
  const surroundings = {
    clock,
    dashboard,
    log: silentLog,
    sqliteSynchronous: 'off' as const,
    ...(operations && { operations }),
    ...(timeouts && { timeouts }),
    ...(alertPace && { alertPace }),
    ...(slowReaders && { slowReaders }),
    ...(node && { node }),
    ...(migrations && { migrations }),
  }
  const running = await startPharos(config, surroundings)
  let stopped = false
  const stop = async (): Promise<void> => {
    if (stopped) return
    stopped = true
    await running.stop()
    await created?.drop()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  const { database, url } = running
  const setupToken = await database.write(() => issueSetupToken(clock.now()))
  const makeKey: TestServer['makeKey'] = async (orgId, access, expiresAt = null) => {
    const { key, secret } = await database.write(() =>
      insertKey({ orgId, name: 'test', access, expiresAt }, clock.now()),
    )
    return { keyId: key.id, key: secret }
  }
  return {
    url,
    running,
    setupToken,
    key: BOOTSTRAP_KEY,
    client: (key = BOOTSTRAP_KEY) => clientOf(url, { 'x-api-key': key }),
    async organization(plan) {
      const org = await database.write(() => createOrganization({ name: 'Test', plan }, clock.now()))
      return { orgId: org.id, key: (await makeKey(org.id, 'full')).key }
    },
    makeKey,
    async defaultOrgId() {
      return (await database.read(organizationWithIdOrSlug('default')))?.id as string
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Defaults, except for a free port, a high rate limit, no confirmation delays and fewer connections to PostgreSQL. */
function testConfig(env: Readonly<Record<string, string>>, dataDir: string): Config {
  return readConfig({
    PORT: '0',
    PHAROS_DATA_DIR: dataDir,
    PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    PHAROS_RATE_LIMIT: '1000000',
    // Each connection costs PostgreSQL 5 ms of CPU time, and a start opens all of them.
    PHAROS_DATABASE_POOL: '4',
    PHAROS_SECRET_KEY: SECRET_KEY,
    PHAROS_CONFIRM_DELAYS: '',
    // The machine that runs the tests may have no DNS server.
    PHAROS_SELF_DOUBT: 'off',
    ...env,
  })
}

/** A client of the server at `url`; paths are below /api/v1. Strings are sent unchanged, other bodies as JSON. */
export function clientOf(url: string, always: Record<string, string> = {}): Client {
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' }
    // `fetch` would cost five times the CPU time, and the tests send tens of thousands of requests.
    const response = await request(`${url}/api/v1${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...type, ...always, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const text = await response.body.text()
    const answered = new Headers()
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of [value ?? []].flat()) answered.append(name, one)
    }
    const isJson = answered.get('content-type')?.startsWith('application/json') !== false
    const received = text === '' ? undefined : isJson ? JSON.parse(text) : text
    return { status: response.statusCode, headers: answered, body: received }
  }
  return clientSending(send)
}

/** A client that sends its requests in this way. */
export function clientSending(send: Client['send']): Client {
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  }
}
