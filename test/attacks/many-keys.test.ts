import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, startApi, useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { expectError } from '../support/monitors.ts'
import { migratedDatabase } from '../support/postgres.ts'
import type { Answer, Client } from '../support/server.ts'
import { ageRateWindows } from '../support/tables.ts'

const QUOTA = 6
const KEYS = 20
const env = { PHAROS_RATE_LIMIT: `${QUOTA}` }

async function keysOf(api: Api, orgId: string, count: number): Promise<string[]> {
  const keys = await Promise.all(Array.from({ length: count }, () => api.server.makeKey(orgId, 'full')))
  return keys.map(({ key }) => key)
}

const spend = (client: Client, count: number): Promise<Answer>[] =>
  Array.from({ length: count }, () => client.get('/monitors'))

const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length

forEachEngine('20 keys of one FREE organization', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { env, clock })

  test('together get ten times the requests of one key, and others their own', async () => {
    const { orgId } = await api.tenant('FREE')
    const victim = await api.tenant('FREE')
    const clients = (await keysOf(api, orgId, KEYS)).map((key) => api.clientOf(key))
    const answers = await Promise.all(clients.flatMap((client) => spend(client, QUOTA)))
    assert.deepEqual([count(answers, 200), count(answers, 429)], [10 * QUOTA, (KEYS - 10) * QUOTA])
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expectError(answer, 'rate_limited')
      assert.match(answer.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
      // The headers show the key's own limit.
      assert.equal(answer.headers.get('ratelimit-limit'), `${QUOTA}`)
    }
    assert.equal((await victim.client.get('/monitors')).status, 200)
    if (engine === 'sqlite') clock.advance(60_000)
    else await ageRateWindows(api.server, 60_000)
    assert.equal((await (clients[0] as Client).get('/monitors')).status, 200)
  })

  test('take nothing from each other with requests beyond their own quota', async () => {
    const { orgId } = await api.tenant('FREE')
    const [busy, other] = (await keysOf(api, orgId, 2)).map((key) => api.clientOf(key)) as [Client, Client]
    assert.equal(count(await Promise.all(spend(busy, 10 * QUOTA + 1)), 200), QUOTA)
    assert.equal((await other.get('/monitors')).status, 200)
  })
})

test('the limit of an organization is exact across nodes', { skip: withoutPostgres }, async () => {
  await using database = await migratedDatabase()
  const options = { databaseUrl: database.url, env }
  const [one, two] = [await startApi('postgres', options), await startApi('postgres', options)]
  await using _one = one.server
  await using _two = two.server
  const { orgId } = await one.tenant('FREE')
  const keys = await keysOf(one, orgId, KEYS)
  const answers = keys.flatMap((key, i) => spend((i % 2 === 0 ? one : two).clientOf(key), QUOTA))
  assert.equal(count(await Promise.all(answers), 200), 10 * QUOTA)
})
