import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { openKumaDatabase } from '../../../src/importers/kuma/open-database.ts'
import { readKuma } from '../../../src/importers/kuma/read.ts'
import { type ImportResult, WrongFileError } from '../../../src/importers/result.ts'
import { objectOf } from '../expected.ts'
import { changedDatabase, databaseOf, fileAt, read, readChanged } from './databases.ts'
import { dumpOf } from './dump.ts'

const whole = databaseOf('kuma-2.db.gz')

/** The copies of this file, and no others. */
const temporary = mkdtempSync(join(tmpdir(), 'pharos-damaged-'))
const { TMPDIR } = process.env
before(() => {
  process.env.TMPDIR = temporary
})
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  rmSync(temporary, { recursive: true })
})

const PAGE_BYTES = 4096

const names = ({ objects }: ImportResult, kind: string) =>
  objects.filter((one) => one.kind === kind).map(({ name }) => name)

test('of a truncated database what is there is imported, and the report says what is missing', () => {
  const result = read(whole.subarray(0, 3_000_000))
  assert.deepEqual(names(result, 'notification'), names(read(whole), 'notification'))
  assert.deepEqual(result.unreadable, [
    'kuma.db is shorter than it should be: its end is missing.',
    'The table monitor is damaged: 0 rows of it could be read.',
  ])
})

test('a damaged page costs only its own rows', () => {
  const bytes = Buffer.from(whole)
  const page = Math.floor(bytes.lastIndexOf('http://gone.example.com/') / PAGE_BYTES)
  bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
  const result = read(bytes)
  const monitors = names(result, 'monitor')
  assert.ok(monitors.length >= 50 && monitors.length < 67, `${monitors.length} monitors`)
  assert.ok(
    !monitors.includes('Decommissioned host') && monitors.includes('Website') && monitors.includes('Globalping'),
  )
  assert.deepEqual(result.unreadable, [`The table monitor is damaged: ${monitors.length} rows of it could be read.`])
})

test('a database without its schema is refused', () => {
  assert.throws(() => read(whole.subarray(0, 4096)), WrongFileError)
  assert.throws(() => read(whole.subarray(0, 50)), WrongFileError)
})

test('a missing table or column costs only what it held', () => {
  const result = readChanged(
    'kuma-2.db.gz',
    'DROP TABLE tag; ALTER TABLE monitor DROP COLUMN maxretries; DROP TABLE proxy',
  )
  assert.deepEqual(result.unreadable.toSorted(), [
    'The column maxretries of the table monitor is missing.',
    'The table proxy is missing.',
    'The table tag is missing.',
  ])
  assert.equal(objectOf(result, 'monitor', 26).outcome, 'MAPPED')
  assert.match(objectOf(result, 'monitor', 5).losses.join(' '), /its name cannot be read/)
  assert.match(objectOf(result, 'monitor', 21).losses.join(' '), /proxy is not supported/)
})

test('what Kuma has not yet moved from the -wal into its database is imported, and its files stay as they are', () => {
  using database = changedDatabase('kuma-2.db.gz')
  const kuma = new DatabaseSync(database.path)
  kuma.exec(
    `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE monitor SET name = 'Renamed' WHERE id = 5`,
  )
  const filesBefore = ['', '-wal'].map((end) => readFileSync(database.path + end))
  const result = readKuma([fileAt(database.path)])
  kuma.exec('SELECT 1')
  assert.deepEqual(
    ['', '-wal'].map((end) => readFileSync(database.path + end)),
    filesBefore,
  )
  kuma.close()
  assert.equal(objectOf(result, 'monitor', 5).name, 'Renamed')
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('pharos-import-')),
    [],
  )
})

test('a process that is killed leaves no copy behind', () => {
  using file = changedDatabase('kuma-2.db.gz', 'PRAGMA journal_mode = WAL')
  using copy = openKumaDatabase(file.path)
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('pharos-import-')),
    [],
  )
  const { count } = copy.connection.prepare('SELECT count(*) AS count FROM heartbeat').get() as { count: number }
  assert.ok(count > 10_000, `${count} beats can be read`)
})

test('a view in the place of a table runs no function and is not read', () => {
  const result = readChanged(
    'kuma-2.db.gz',
    `DROP TABLE tag; CREATE VIEW tag AS SELECT load_extension('/tmp/x.so') AS name`,
  )
  assert.match(result.unreadable.join(' '), /The table tag is missing/)
})

test('a loop of groups ends', () => {
  const result = readChanged('kuma-2.db.gz', 'UPDATE monitor SET parent = 2 WHERE id = 1')
  assert.equal(objectOf(result, 'monitor', 4).outcome, 'MAPPED_WITH_LOSSES')
})

test('a dump of a Kuma on MariaDB is imported like its database', () => {
  using database = changedDatabase(
    'kuma-2.db.gz',
    `UPDATE monitor SET description = 'It''s "100%"' || char(10) || 'a\\b; (x),' WHERE id = 4`,
  )
  const connection = new DatabaseSync(database.path, { readOnly: true })
  const dump = dumpOf(connection)
  connection.close()
  const path = join(dirname(database.path), 'kuma.sql')
  writeFileSync(path, dump)
  const expected = readKuma([fileAt(database.path)])
  for (const file of [fileAt(path), { name: 'kuma.sql', bytes: Buffer.from(dump) }]) {
    const result = readKuma([file])
    assert.deepEqual(result.document, expected.document)
    assert.deepEqual(result.objects, expected.objects)
    assert.deepEqual(result.unreadable, [])
  }
  const cut = Buffer.from(dump.slice(0, dump.indexOf('CREATE TABLE `status_page` ')))
  assert.deepEqual(readKuma([{ name: 'kuma.sql', bytes: cut }]).unreadable, [
    'kuma.sql is cut off: its end is missing.',
    'The table status_page is missing.',
  ])
})

test('a maintenance with an unknown time zone or an impossible date costs no other object', () => {
  const whole = read(databaseOf('kuma-2.db.gz'))
  const ids = whole.objects.filter(({ kind, outcome }) => kind === 'maintenance' && outcome.startsWith('MAPPED'))
  const [zone, date] = ids.map(({ sourceId }) => sourceId)
  const result = readChanged(
    'kuma-2.db.gz',
    `UPDATE maintenance SET timezone = 'constructor' WHERE id = ${zone};
     UPDATE maintenance SET strategy = 'single', start_date = '2026-13-45 25:61:00' WHERE id = ${date}`,
  )
  assert.match(objectOf(result, 'maintenance', String(zone)).losses.join(), /"constructor" is not known: UTC is used/)
  const { outcome, reason } = objectOf(result, 'maintenance', String(date))
  assert.equal(outcome, 'NOT_SUPPORTED')
  assert.match(String(reason), /^It cannot be read: /)
  const others = ({ objects }: ImportResult) =>
    objects.filter(({ kind, sourceId }) => kind !== 'maintenance' || ![zone, date].includes(sourceId))
  assert.deepEqual(others(result), others(whole))
})
