import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { insertKey } from '../../../src/accounts/keys/insert.ts'
import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { openConnection, type RequestToSend } from '../../support/keep-alive.ts'
import type { RawAnswer } from '../../support/raw-http.ts'
import { type ServerProcess, startProcess } from '../../support/server-process.ts'
import { migratedDataDir } from '../../support/sqlite.ts'
import { problemsOf } from '../check-response.ts'

/** Of each lane. Some operations are limited per organization and minute, and others run one at a time. */
const ORGANIZATIONS_PER_LANE = 40
const LANES = 16

export interface Keys {
  readonly full: string
  readonly readOnly: string
}

interface Sent extends Omit<RequestToSend, 'headers'> {
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A client with organizations of its own. */
export interface ForeignLane extends Disposable {
  readonly organizations: readonly Keys[]
  /** The organizations in turn. */
  next(): Keys
  /** Paths are below /api/v1. Requires an answer below 500 with everything that answers have. Characters of a body are bytes. */
  send(request: Sent): Promise<RawAnswer>
  post(key: string, path: string, body: object): Promise<RawAnswer>
  /** Applies a valid document. */
  apply(key: string, document: object): Promise<void>
  /** Requires that the process lives, has reported no fault of ours, and answers a client of another organization. */
  requireAlive(): Promise<void>
}

/** A server in a process of its own, with the memory limits of an installation. */
export interface AttackedServer extends AsyncDisposable {
  openLane(): ForeignLane
}

export async function startAttackedServer(): Promise<AttackedServer> {
  const dataDir = await migratedDataDir()
  const all = await createOrganizations(dataDir, ORGANIZATIONS_PER_LANE * LANES)
  const server = await startProcess({
    PHAROS_DATA_DIR: dataDir,
    // No checks and no messages: documents that were applied have hosts of others.
    PHAROS_ROLES: 'api,scheduler',
    PHAROS_PRIVATE_WEBHOOKS: 'allow',
    PHAROS_SELF_DOUBT: 'off',
    PHAROS_DNS_SERVERS: '127.0.0.1:9',
  })
  return {
    openLane: () => openLane(server, all.splice(0, ORGANIZATIONS_PER_LANE)),
    async [Symbol.asyncDispose]() {
      await server.kill()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function createOrganizations(dataDir: string, count: number): Promise<Keys[]> {
  const rateLimit = { quota: 1, windowMs: 1_000 }
  const options = { databaseUrl: undefined, poolSize: 1, dataDir, rateLimit, sqliteSynchronous: 'off' as const }
  const database = await openDatabase(options, systemClock, silentLog)
  try {
    return await database.write(function* () {
      const now = Date.now()
      const created: Keys[] = []
      for (let i = 0; i < count; i += 1) {
        const { id: orgId } = yield* createOrganization({ name: `Foreign ${i}`, plan: 'SELF_HOSTED' }, now)
        const key = { orgId, name: 'fuzz', expiresAt: null }
        const full = yield* insertKey({ ...key, access: 'full' }, now)
        const readOnly = yield* insertKey({ ...key, access: 'read-only' }, now)
        created.push({ full: full.secret, readOnly: readOnly.secret })
      }
      return created
    })
  } finally {
    await database.close()
  }
}

function openLane(server: ServerProcess, [victim, ...organizations]: readonly Keys[]): ForeignLane {
  if (victim === undefined) throw new Error(`There are organizations for ${LANES} lanes only`)
  const connection = openConnection(Number(new URL(server.url).port))
  const { stdout: before } = server.output
  let turn = 0
  const send: ForeignLane['send'] = async ({ method, path, key, headers = {}, body }) => {
    const answer = await connection.send({
      method,
      path: `/api/v1${path}`,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    })
    assert.deepEqual(problemsOf(answer), [], `${method} ${path} → ${answer.status} ${answer.body.slice(0, 500)}`)
    return answer
  }
  const post: ForeignLane['post'] = (key, path, body) => send({ method: 'POST', path, key, body: JSON.stringify(body) })
  return {
    organizations,
    post,
    async apply(key, document) {
      const { planId } = JSON.parse((await post(key, '/configuration/plan', { document })).body)
      const { status, body } = await post(key, '/configuration/apply', { planId })
      assert.equal(status, 200, body)
    },
    next: () => organizations[turn++ % organizations.length] as Keys,
    send,
    async requireAlive() {
      const { stdout, stderr } = server.output
      assert.equal(server.hasEnded(), false, `the server has ended:\n${(stdout + stderr).slice(-3_000)}`)
      assert.equal((await send({ method: 'GET', path: '/monitors?limit=1', key: victim.full })).status, 200)
      assert.equal(stdout.slice(before.length) + stderr, '', 'the server logs an error')
    },
    [Symbol.dispose]: () => connection.close(),
  }
}
