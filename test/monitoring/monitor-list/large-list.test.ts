import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { openLedger } from '../../../src/monitoring/monitor-states/ledger.ts'
import { storeHours } from '../../../src/monitoring/monitor-states/rollups.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'

const NOW = Date.UTC(2027, 0, 31, 14, 20)
/** More than are sorted by an exact uptime. */
const COUNT = 1_200

async function run(database: Database, text: string): Promise<void> {
  await database.write(() => execute(sql.raw(text)))
}

async function copy(database: Database, table: 'monitors' | 'monitor_states', changed: object) {
  const [row] = await database.read(execute(q.selectFrom(table).selectAll()))
  const columns = Object.keys(row ?? {})
  const values = columns.map((column) => ({ num: 'num + i', ...changed })[column] ?? column)
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT - 1})`
  await run(
    database,
    `insert into ${table} (${columns.join(', ')}) ${numbers} select ${values.join(', ')} from n, ${table}`,
  )
}

/** Copies one monitor. Names, response times, times of the last check and uptimes are in different orders. */
async function fill(database: Database): Promise<void> {
  const name = "'Monitor ' || (10000 + i * 7 % 1200)"
  await copy(database, 'monitors', { id: "id || '-' || i", seq: 'seq + i', name, name_key: `lower(${name})` })
  const values = { state: "'UP'", last_response_ms: 'i * 11 % 1200', last_checked_at: `${NOW} - i * 13 % 1200` }
  await copy(database, 'monitor_states', { ...values, memory: "'{}'" })
  await run(database, `update list_totals set live = ${COUNT}, issued = ${COUNT} where kind = 'monitor'`)
  // The hour before: it stores the uptime that the list is sorted by.
  const rows = await database.read(execute(q.selectFrom('monitors').select(['org_id', 'num'])))
  const { totals } = openLedger(NOW)
  const hourStart = Math.floor(NOW / HOUR_MS) * HOUR_MS - HOUR_MS
  const closed = (num: number) => [{ hourStart, totals: { ...totals, upMs: HOUR_MS, downMs: (num * 17) % 1200 } }]
  await database.write(() => storeHours(rows.map(({ org_id: orgId, num }) => ({ orgId, num, closed: closed(num) }))))
}

interface Listed {
  readonly name: string
  readonly lastResponseMs: number | null
  readonly lastCheckedAt: string | null
  readonly uptime30d: number | null
}

forEachEngine('the monitor list of an organization with more than 1,000 monitors', (engine) => {
  const installation = useInstallation(engine, { clock: new HandClock(NOW) })
  const listed = async (query: string): Promise<Listed[]> => {
    const found: Listed[] = []
    for (let offset = 0; offset < COUNT; offset += 100) {
      found.push(...(await installation.owner.get(`/v1/monitor-list?limit=100&offset=${offset}&${query}`)).body.data)
    }
    return found
  }
  before(async () => {
    const settings = { name: 'Monitor 0', type: 'HTTP', url: 'https://example.com/' }
    assert.equal((await installation.owner.post('/v1/monitors', settings)).status, 201)
    const { database } = installation.server.running
    await fill(database)
  })

  test('has every monitor once, by name in both directions', async () => {
    const names = (await listed('sort=name')).map(({ name }) => name)
    assert.equal(new Set(names).size, COUNT)
    assert.deepEqual(names, names.toSorted())
    assert.deepEqual(
      (await listed('sort=name&order=desc')).map(({ name }) => name),
      names.toReversed(),
    )
  })

  for (const [sort, field] of [
    ['response', 'lastResponseMs'],
    ['checked', 'lastCheckedAt'],
    ['uptime', 'uptime30d'],
  ] as const) {
    test(`is sorted by ${sort}, missing values last`, async () => {
      for (const order of ['asc', 'desc']) {
        const values = (await listed(`sort=${sort}&order=${order}`)).map((one) => one[field])
        const known = values.filter((value) => value !== null)
        const sorted = known.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        assert.deepEqual(known, order === 'asc' ? sorted : sorted.toReversed(), order)
        assert.deepEqual(values.slice(known.length), Array(values.length - known.length).fill(null))
      }
    })
  }

  test('is filtered and sorted', async () => {
    const { database } = installation.server.running
    await run(database, 'update monitor_states set last_response_ms = 5000 where num % 40 = 0')
    const { body } = await installation.owner.get(
      '/v1/monitor-list?q=monitor%201000&sort=response&order=desc&limit=100',
    )
    const times = body.data.map(({ lastResponseMs }: Listed) => lastResponseMs)
    assert.deepEqual(
      times,
      times.toSorted((a: number, b: number) => b - a),
    )
    assert.deepEqual([body.counts.total, body.pagination.total], [9, 9])
  })
})
