import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { Dice } from '../support/dice.ts'
import { connectTo } from '../support/postgres.ts'
import type { Client } from './client.ts'
import type { Ledger } from './writer.ts'

interface Listed {
  readonly id: string
  readonly requestBody: string
}

/** The server lists exactly what it acknowledged: nothing is lost, doubled or added. */
export async function verifyAnswers(client: Client, ledgers: readonly Ledger[]): Promise<void> {
  const monitors = ledgers.flatMap((ledger) => ledger.monitors)
  const alive = monitors.filter((monitor) => !monitor.deleted)
  const listed = await listAll(client, alive.length)
  assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length, 'no monitor is listed twice')
  assert.deepEqual(
    listed.map(({ requestBody }) => requestBody).sort(),
    alive.map(({ creationKey }) => creationKey).sort(),
    'every creation that was not deleted is listed once, and nothing else is',
  )
  const byId = new Map(listed.map((monitor) => [monitor.id, monitor]))
  for (const { id, text } of alive) assert.deepEqual(byId.get(id), JSON.parse(text), `${id} is as it was acknowledged`)
  const gone = monitors.filter((monitor) => monitor.deleted).slice(-20)
  for (const { id } of gone) assert.equal((await client.get(`/monitors/${id}`)).status, 404, `${id} is gone`)
}

async function listAll(client: Client, expected: number): Promise<Listed[]> {
  const listed: Listed[] = []
  for (let offset = 0; ; offset += 100) {
    const { data, pagination } = JSON.parse((await client.get(`/monitors?limit=100&offset=${offset}`)).text)
    assert.deepEqual(pagination, { limit: 100, offset, total: expected })
    listed.push(...data)
    if (offset + 100 >= pagination.total) break
  }
  assert.equal(listed.length, expected)
  return listed
}

/** Every idempotency key still replays its response: none is stuck, none was forgotten. */
export async function verifyReplays(client: Client, ledgers: readonly Ledger[], random: Dice): Promise<void> {
  const answered = ledgers.flatMap((ledger) => ledger.answered)
  for (let i = 0; i < Math.min(150, answered.length); i += 1) {
    const { mutation, text } = random.pick(answered)
    const answer = await client.mutate(mutation)
    assert.ok(answer.replayed, `${mutation.idempotencyKey} is replayed`)
    assert.equal(answer.text, text)
  }
}

/** Row counts that must agree. */
const counts = `
  select
    (select count(*) from monitors) as monitors,
    (select count(*) from monitor_states) as states,
    (select count(*) from monitors m join monitor_states s on s.num = m.num and s.org_id = m.org_id) as pairs,
    (select coalesce(sum(live), 0) from list_totals) as listed,
    (select count(*) from monitors where type = 'CRON') as cron,
    (select count(heartbeat_hash) from monitors where type = 'CRON' and heartbeat_token is not null) as tokens,
    (select count(heartbeat_hash) from monitors) as all_tokens,
    (select count(*) from idempotency_records) as records`

/** The stored rows agree with the ledgers; read directly from the database. */
export async function verifyStorage(
  where: { readonly file: string } | { readonly url: string },
  ledgers: readonly Ledger[],
): Promise<void> {
  const row = 'file' in where ? fromSqlite(where.file) : await fromPostgres(where.url)
  const stored = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
  const monitors = ledgers.flatMap((ledger) => ledger.monitors).filter((monitor) => !monitor.deleted)
  const alive = monitors.length
  const cron = monitors.filter(({ text }) => JSON.parse(text).type === 'CRON').length
  assert.deepEqual(stored, {
    monitors: alive,
    states: alive,
    pairs: alive,
    listed: alive,
    cron,
    tokens: cron,
    all_tokens: cron,
    records: ledgers.reduce((sum, ledger) => sum + ledger.answered.length, 0),
  })
}

function fromSqlite(file: string): Record<string, unknown> {
  using database = new DatabaseSync(file, { readOnly: true })
  return { ...database.prepare(counts).get() }
}

async function fromPostgres(url: string): Promise<Record<string, unknown>> {
  await using client = await connectTo(url)
  return (await client.query(counts)).rows[0]
}
