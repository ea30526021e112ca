import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { forEachEngine } from '../support/engines.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'
import { startProcess } from '../support/server-process.ts'
import { migratedWorkspace, type Workspace } from '../support/workspace.ts'
import { plan } from './support.ts'

const COUNT = 1_000
const keys = Array.from({ length: COUNT }, (_, i) => `web-${i}`)
const document = {
  version: 1,
  monitors: Object.fromEntries(
    keys.map((key, i) => [
      key,
      { name: key, type: 'HTTP', url: `https://${key}.example`, labels: { team: `t${i % 20}` } },
    ]),
  ),
  contacts: { ops: { name: 'Ops', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/a' } } },
  statusPages: { main: { name: 'Main', sections: [{ name: 'All', monitors: [{ monitor: 'web-0' }] }] } },
}

/** Whether a transaction is in the middle of writing monitors. */
interface Observer extends AsyncDisposable {
  isInMiddle(): Promise<boolean>
}

function observeSqlite({ storage }: Workspace): Observer {
  const database = new DatabaseSync(join(storage.dataDir, 'pharos.db'), { timeout: 0 })
  /** How often in a row the write lock was taken. Other transactions are over within one interval. */
  let locked = 0
  return {
    async isInMiddle() {
      try {
        database.exec('begin immediate; rollback')
        locked = 0
      } catch {
        locked += 1
      }
      return locked >= 5
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}

async function observePostgres({ storage }: Workspace): Promise<Observer> {
  const client = new pg.Client(storage.databaseUrl)
  await client.connect()
  // A table grows when rows are inserted, not when they are committed.
  const size = async () => Number((await client.query("select pg_relation_size('monitors') as size")).rows[0].size)
  const before = await size()
  return { isInMiddle: async () => (await size()) > before + 80_000, [Symbol.asyncDispose]: () => client.end() }
}

forEachEngine('a server that is killed while it applies a plan', (engine) => {
  test('has applied all of it or nothing, and the plan can be applied afterwards', async () => {
    await using workspace = await migratedWorkspace(engine)
    const env = { ...workspace.env, PHAROS_ROLES: 'api' }
    for (const waitMs of [0, 50, 200]) {
      const planId = await killInMiddle(env, waitMs, () =>
        engine === 'sqlite' ? observeSqlite(workspace) : observePostgres(workspace),
      )
      await using server = await startProcess(env)
      const client = clientOf(server.url, { 'x-api-key': BOOTSTRAP_KEY })
      const { body } = await client.get('/configuration')
      const applied = Object.keys(body.monitors ?? {}).length
      assert.ok(applied === 0 || (applied === COUNT && waitMs > 0), `${applied} monitors after ${waitMs} ms`)
      assert.deepEqual(['contacts' in body, 'statusPages' in body], [applied > 0, applied > 0])
      const isLast = waitMs === 200 || applied > 0
      if (isLast) {
        const { status } = await client.post('/configuration/apply', { planId })
        assert.equal(status, applied > 0 ? 409 : 200)
        assert.equal((await plan(client, document)).summary.none, COUNT + 2)
        break
      }
    }
  })
})

async function killInMiddle(
  env: Readonly<Record<string, string>>,
  waitMs: number,
  observe: () => Observer | Promise<Observer>,
): Promise<string> {
  await using server = await startProcess(env)
  const client = clientOf(server.url, { 'x-api-key': BOOTSTRAP_KEY })
  const { planId } = await plan(client, document)
  await using observer = await observe()
  let isAnswered = false
  const answer = client.post('/configuration/apply', { planId }).then(
    () => {
      isAnswered = true
    },
    () => undefined,
  )
  while (!isAnswered && !(await observer.isInMiddle())) await delay(10)
  assert.ok(!isAnswered, 'the middle was missed')
  await delay(waitMs)
  await server.kill()
  await answer
  return planId
}
