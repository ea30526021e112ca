import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { readDumpHistory, readKumaHistory } from '../../../src/importers/kuma/history.ts'
import { openKumaDatabase } from '../../../src/importers/kuma/open-database.ts'
import { changedDatabase, type Version } from './databases.ts'
import { dumpOf } from './dump.ts'

const now = Date.parse('2026-12-01T00:00:00Z')

function readAll(connection: DatabaseSync) {
  const reader = readKumaHistory(connection, now)
  for (;;) {
    const step = reader.next()
    if (step.done === true) return step.value
  }
}

test('the history in a dump of a Kuma on MariaDB is that of its database', () => {
  using database = changedDatabase('kuma-2.db.gz')
  using connection = new DatabaseSync(database.path, { readOnly: true })
  const path = join(dirname(database.path), 'kuma.sql')
  writeFileSync(path, dumpOf(connection))
  const expected = readAll(connection)
  assert.ok(expected.monitors.size > 15 && expected.read > 1000)
  assert.deepEqual(readDumpHistory(path, now), expected)
})

test('a beat that seems to last for ages, because a clock was wrong, does not stop the import', () => {
  using database = changedDatabase('kuma-1.db.gz', 'UPDATE heartbeat SET duration = 1e12 WHERE id % 1000 = 0')
  using connection = new DatabaseSync(database.path, { readOnly: true })
  for (const { hours, days } of readAll(connection).monitors.values()) {
    assert.ok(hours.length <= 9 * 24 && days.length <= 10 * 366, `${hours.length} hours, ${days.length} days`)
    assert.ok(days.every(([start, up, down, maintenance]) => start >= 0 && up + down + maintenance <= 86_400.01))
  }
})

/** What a damaged or hostile file may have in place of a number, a time or a text. */
const hostile = [
  'NULL',
  "'x'",
  '1e308',
  '-1e308',
  '9223372036854775807',
  '-5',
  "x'ff00'",
  "'9999-99-99 99:99:99'",
  "'[{}]'",
]

describe('a row with a value that cannot be read costs only the row', () => {
  for (const [version, table, columns] of [
    ['kuma-1.db.gz', 'heartbeat', ['monitor_id', 'status', 'time', 'ping', 'duration']],
    ['kuma-2.db.gz', 'stat_daily', ['monitor_id', 'timestamp', 'ping', 'up', 'down', 'extras']],
    ['kuma-2.db.gz', 'stat_hourly', ['monitor_id', 'timestamp', 'ping', 'up', 'down', 'extras']],
  ] as const) {
    test(`in ${table}`, () => {
      using database = changedDatabase(version, plainTable(version, table))
      using connection = new DatabaseSync(database.path)
      const whole = readAll(connection)
      const ids = connection.prepare(`SELECT id FROM ${table} ORDER BY id DESC`).all()
      // The last row says which hours are kept.
      for (const id of [ids[0]?.id, ids[Math.floor(ids.length / 2)]?.id]) {
        for (const column of columns) {
          for (const value of hostile) {
            connection.exec(`SAVEPOINT s; UPDATE ${table} SET ${column} = ${value} WHERE id = ${id}`)
            const result = readAll(connection)
            connection.exec('ROLLBACK TO s; RELEASE s')
            const what = `${column} = ${value} in row ${id}`
            assert.ok(result.read >= whole.read - 1, `${what}: ${result.read} of ${whole.read} rows`)
            assert.equal(result.read + result.unreadable, whole.read, what)
            for (const { hours, days } of result.monitors.values()) {
              const numbers = [...hours, ...days].flat().filter((one) => one !== null)
              assert.ok(
                numbers.every((one) => one >= 0 && one < 1e12),
                what,
              )
            }
            const count = (all: typeof whole) => all.monitors.values().reduce((sum, one) => sum + one.hours.length, 0)
            assert.ok(count(result) > count(whole) * 0.9, `${what}: ${count(result)} of ${count(whole)} hours`)
          }
        }
      }
    })
  }
})

/** The table without its constraints. Of the history, a part of the rows is enough. */
function plainTable(version: Version, table: string): string {
  const all = version === 'kuma-1.db.gz' ? ['heartbeat'] : ['stat_daily', 'stat_hourly']
  const thinned = all.map((name) => `DELETE FROM ${name} WHERE id % 20 <> 0;`).join('')
  return `${thinned} CREATE TABLE plain AS SELECT * FROM ${table}; DROP TABLE ${table};
    ALTER TABLE plain RENAME TO ${table}; CREATE INDEX plain_id ON ${table} (id)`
}

test('a damaged page of the history costs its own rows', () => {
  using database = changedDatabase('kuma-1.db.gz', 'PRAGMA journal_mode = DELETE')
  using connection = new DatabaseSync(database.path, { readOnly: true })
  const { read, unreadable } = readAll(connection)
  assert.equal(unreadable, 0)
  const bytes = readFileSync(database.path)
  const { pageno } = connection
    .prepare("SELECT pageno FROM dbstat WHERE name = 'heartbeat' AND pagetype = 'leaf' LIMIT 1 OFFSET 40")
    .get() as { pageno: number }
  bytes.fill(0, (pageno - 1) * PAGE_BYTES, pageno * PAGE_BYTES)
  const path = join(dirname(database.path), 'damaged.db')
  writeFileSync(path, bytes)
  using damaged = openKumaDatabase(path)
  const result = readAll(damaged.connection)
  assert.ok(result.read < read && result.read > read - 300, `${result.read} of ${read} rows`)
  assert.equal(result.unreadable, read - result.read)
})

const PAGE_BYTES = 4096
