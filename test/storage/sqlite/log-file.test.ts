import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '../../../src/lib/clock.ts'
import { execute } from '../../../src/storage/query.ts'
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts'
import { openSqlite, SQLITE_FILE } from '../../../src/storage/sqlite/database.ts'
import { LogFile } from '../../../src/storage/sqlite/log-file.ts'
import { GroupWriter } from '../../../src/storage/sqlite/writer.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

const create = () => execute(sql.raw('create table notes (text text not null)'))
const add = (text: string) => () => execute(sql`insert into notes values (${sql.lit(text)})`)
const read = () => execute(sql<{ text: string }>`select text from notes order by rowid`)

test('a write is answered when the log is on disk', async () => {
  const dataDir = emptyDataDir()
  const database = openSqlite(dataDir, { quota: 1, windowMs: 1_000 }, systemClock)
  try {
    await database.write(create)
    // These occupy all threads of Node's pool, so that the flush has to wait for one of them.
    let hashes = 0
    for (let i = 0; i < 8; i += 1) pbkdf2('password', 'salt', 20_000, 64, 'sha512', () => (hashes += 1))
    await database.write(add('first'))
    assert.ok(hashes > 0, 'the write was answered before the flush')
    assert.equal((await database.read(read())).length, 1)
  } finally {
    await database.close()
    rmSync(dataDir, { recursive: true })
  }
})

test('a failed flush fails its write and all later ones, and the later ones change nothing', async () => {
  const dataDir = emptyDataDir()
  const connection = new SqliteConnection(join(dataDir, SQLITE_FILE))
  // There is no log at this path.
  const log = new LogFile(join(dataDir, 'missing.db'))
  const noticed: unknown[] = []
  const writer = new GroupWriter(connection, (notices) => noticed.push(notices), log)
  try {
    const reason = /The disk failed to store the last changes \(ENOENT.*restart the server when the disk works again/
    await assert.rejects(writer.write(create), reason)
    await assert.rejects(writer.write(add('later')), reason)
    assert.deepEqual(connection.run(read()), [])
    assert.deepEqual(noticed, [])
    await writer.drain()
  } finally {
    connection.close()
    log.close()
    rmSync(dataDir, { recursive: true })
  }
})
