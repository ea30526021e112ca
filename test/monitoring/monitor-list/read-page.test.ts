import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { findMonitors, type MonitorFilters } from '../../../src/monitoring/monitor-list/find.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { migratedTestDatabase, type TestDatabase } from '../../storage/test-database.ts'
import { forEachEngine } from '../../support/engines.ts'

/** More than are sorted by an exact uptime. */
const COUNT = 4_000

/** Values with many equal ones, some missing; names that are equal, and in another order than numbers and values. */
async function fill(database: Database): Promise<void> {
  const name = "'service ' || (10000 + i * 7919 % 9973)"
  const state = "case when i % 97 = 0 then 'DOWN' else 'UP' end"
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT})`
  await database.write(function* () {
    yield* execute(
      sql.raw(
        `insert into organizations (id, slug, name, plan, subscription, created_at, timezone) values ('org', 'org', 'Org', 'SELF_HOSTED', 'ACTIVE', 0, 'UTC')`,
      ),
    )
    yield* execute(
      sql.raw(`insert into monitors (org_id, num, id, seq, name, name_key, type, created_at, updated_at, interval_seconds, grace_seconds, settings) ${numbers}
        select 'org', i * 3, 'mon_' || i, i, ${name}, ${name}, case when i % 4 = 0 then 'PORT' else 'HTTP' end, 0, 0, 60, 0, '{}' from n`),
    )
    yield* execute(
      sql.raw(`insert into monitor_states (org_id, num, state, revision, memory, edition, last_response_ms, uptime) ${numbers}
        select 'org', i * 3, ${state}, 1, '{}', 1, case when i % 11 = 0 then null else i * 31 % 2000 end,
          case when i % 10 = 0 then null when i % 3 = 0 then (i % 500) / 500.0 else 1 end from n`),
    )
  })
}

interface Row {
  readonly num: number
  readonly name_key: string
  readonly state: string
  readonly type: string
  readonly uptime: number | null
  readonly last_response_ms: number | null
  readonly last_checked_at: number | null
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function sorted(
  rows: readonly Row[],
  column: 'uptime' | 'last_response_ms' | 'last_checked_at',
  order: 'asc' | 'desc',
): number[] {
  const value = (row: Row) => {
    const found = row[column]
    return found === null ? Number.POSITIVE_INFINITY : order === 'desc' ? -found : found
  }
  const byValue = (a: Row, b: Row) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0)
  return rows
    .toSorted((a, b) => byValue(a, b) || compareTexts(a.name_key, b.name_key) || a.num - b.num)
    .map(({ num }) => num)
}

forEachEngine('pages of 4,000 monitors', (engine) => {
  let fixture: TestDatabase
  let rows: readonly Row[] = []
  before(async () => {
    fixture = await migratedTestDatabase(engine)
    await fill(fixture.database)
    rows = await fixture.database.read(
      execute(
        q
          .selectFrom('monitors as m')
          .innerJoin('monitor_states as s', 's.num', 'm.num')
          .select(['m.num', 'm.name_key', 'm.type', 's.state', 's.uptime', 's.last_response_ms', 's.last_checked_at']),
      ),
    )
  })
  after(() => fixture[Symbol.asyncDispose]())
  const pages = async (filters: MonitorFilters, expected: readonly number[]) => {
    const found = await fixture.database.read(findMonitors('org', filters, 1, { mail: undefined }))
    assert.equal(found.total, expected.length)
    const offsets = [0, 1_950, 2_500, expected.length / 2, expected.length - 2_500, expected.length - 30].map(
      Math.floor,
    )
    for (const offset of offsets) {
      const page = await fixture.database.read(found.page(offset, 50))
      assert.deepEqual(page, expected.slice(offset, offset + 50), `${JSON.stringify(filters)} from ${offset}`)
    }
  }

  for (const [sort, column] of [
    ['uptime', 'uptime'],
    ['response', 'last_response_ms'],
    ['checked', 'last_checked_at'],
  ] as const) {
    for (const order of ['asc', 'desc'] as const) {
      test(`${sort} ${order}: as in the whole list`, () => pages({ sort, order }, sorted(rows, column, order)))
    }
  }

  test('with a state, a search, and groups', async () => {
    const up = rows.filter(({ state }) => state === 'UP')
    await pages({ sort: 'uptime', order: 'asc', state: 'UP' }, sorted(up, 'uptime', 'asc'))
    await pages({ sort: 'response', order: 'desc', q: 'SERVICE 1' }, sorted(rows, 'last_response_ms', 'desc'))
    const grouped = ['HTTP', 'PORT'].flatMap((type) =>
      sorted(
        rows.filter((row) => row.type === type),
        'uptime',
        'asc',
      ),
    )
    await pages({ sort: 'uptime', order: 'asc', group: 'type' }, grouped)
  })

  test('by name and state, from both ends', async () => {
    const byName = (list: readonly Row[], direction: 1 | -1) =>
      list.toSorted((a, b) => direction * compareTexts(a.name_key, b.name_key) || a.num - b.num).map(({ num }) => num)
    const inState = (state: string) => rows.filter((row) => row.state === state)
    await pages({ sort: 'name', order: 'asc' }, byName(rows, 1))
    await pages({ sort: 'name', order: 'desc' }, byName(rows, -1))
    await pages({ sort: 'state', order: 'asc' }, [...byName(inState('DOWN'), 1), ...byName(inState('UP'), 1)])
    await pages({ sort: 'state', order: 'desc' }, [...byName(inState('UP'), 1), ...byName(inState('DOWN'), 1)])
  })
})
