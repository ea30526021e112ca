import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { readDumpHistory, readKumaHistory } from '../../../src/importers/kuma/history.ts'
import { changedDatabase } from './databases.ts'
import { dumpOf } from './dump.ts'

function readAll(connection: DatabaseSync) {
  const reader = readKumaHistory(connection)
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
  assert.deepEqual(readDumpHistory(path), expected)
})

test('a beat that seems to last for ages, because a clock was wrong, does not stop the import', () => {
  using database = changedDatabase('kuma-1.db.gz', 'UPDATE heartbeat SET duration = 1e12 WHERE id % 1000 = 0')
  using connection = new DatabaseSync(database.path, { readOnly: true })
  for (const { hours, days } of readAll(connection).monitors.values()) {
    assert.ok(hours.length <= 9 * 24 && days.length <= 10 * 366, `${hours.length} hours, ${days.length} days`)
    assert.ok(days.every(([start, up, down, maintenance]) => start >= 0 && up + down + maintenance <= 86_400.01))
  }
})
