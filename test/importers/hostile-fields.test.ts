import assert from 'node:assert/strict'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { readKuma } from '../../src/importers/kuma/read.ts'
import type { ImportedObject, ImportResult, SourceFile, SourceName } from '../../src/importers/result.ts'
import { sources } from '../../src/importers/sources.ts'
import { Dice } from '../support/dice.ts'
import { rounds } from '../support/rounds.ts'
import { fileWith, fixturesOf } from './apply.ts'
import type { Anything } from './expected.ts'
import { changedDatabase, fileAt, type Version, versions } from './kuma/databases.ts'

/** Nothing that the other tool would write, and what code easily takes for something else. */
const hostile: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 5e-324, '', 'x', '\0', '\ud800', '%E0', 'https://[', 'x'.repeat(50_000)],
  ...['Mars/Olympus', 'constructor', '__proto__', 'toString', '99:99', '2026-13-45 25:61:00', 'NaN', '1e308'],
  ...[
    [],
    [null],
    [[[]]],
    [{}],
    {},
    { a: {} },
    { toString: 1 },
    '{"toString":1}',
    '[{"toString":1}]',
    '{"a":{"toString":1}}',
  ],
]

/** Requires that everything is imported as before, except for what comes from the changed object. */
function assertOthersKept(before: ImportResult, after: ImportResult, isOfChanged: IsOfChanged, what: string): void {
  const found = new Map(after.objects.map((object) => [placeOf(object), object]))
  for (const object of before.objects) {
    const now = found.get(placeOf(object))
    if (isOfChanged(object)) continue
    assert.ok(now, `${what}: ${placeOf(object)} is not listed`)
    const coversNothing = /covers no|None of its monitors|endpoint is not supported/.test(now.reason ?? '')
    assert.ok(isImported(now) || !isImported(object) || coversNothing, `${what}: ${placeOf(object)} ${now.reason}`)
  }
  const isListed = after.objects.length >= before.objects.length || after.objects.some(isOfChanged)
  assert.ok(isListed || after.unreadable.length > before.unreadable.length, `${what}: an object is dropped silently`)
  // What refers to the changed object changes with it; other monitors do not.
  const own = new Set([...before.objects, ...after.objects].filter(isOfChanged).map(({ key }) => key))
  const [old, now] = [monitorsIn(before), monitorsIn(after)]
  const changed = Object.keys(old).filter((key) => !isDeepStrictEqual(withoutLabels(old[key]), withoutLabels(now[key])))
  const further = (key: string) => before.objects.every((object) => object.key !== `monitors.${key}`)
  const others = changed.filter((key) => !own.has(`monitors.${key}`) && !further(key))
  assert.deepEqual(others, [], `${what}: other monitors have changed`)
}

type IsOfChanged = (object: ImportedObject) => boolean

const placeOf = ({ kind, sourceId }: ImportedObject) => `${kind} ${sourceId}`
const isImported = ({ outcome }: ImportedObject) => outcome.startsWith('MAPPED')
const monitorsIn = ({ document }: ImportResult): Anything => document.monitors ?? {}

/** Labels come from groups and tags, which are objects of their own. */
function withoutLabels(monitor: Anything): Anything {
  return { ...monitor, labels: undefined, paused: undefined }
}

type Path = readonly (string | number)[]

function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    yield [...path, name]
    yield* pathsIn(member, [...path, name])
  }
}

function replaced(value: unknown, [name = '', ...rest]: Path, by: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === String(name) ? replacedIn(item, rest, by) : item))
  return { ...(value as object), [name]: replacedIn((value as Anything)[name], rest, by) }
}

const replacedIn = (value: unknown, rest: Path, by: unknown) => (rest.length === 0 ? by : replaced(value, rest, by))

/** The list or map of objects around each object of a tool's answers. */
const lists: Readonly<Partial<Record<SourceName, readonly string[]>>> = {
  uptimerobot: ['monitors', 'alert_contacts', 'mwindows', 'psps', 'data'],
  betterstack: ['data'],
  healthchecks: ['checks', 'channels'],
  statuscake: ['data'],
  statuspage: [],
  gatus: ['endpoints', 'external-endpoints', 'suites', 'alerting', 'maintenance', 'announcements', 'ui', 'remote'],
}

const CASES = 120
/** Each needs a copy of the database. */
const ROW_CASES = 60

for (const [tool, names] of Object.entries(lists)) {
  const families = tool === 'uptimerobot' ? ['v2-', 'v3-'] : ['']
  for (const family of families) {
    test(`a field of any value costs only its object: ${tool} ${family}`, async () => {
      const files = fixturesOf(tool, family)
      const { read } = sources[tool as SourceName]
      const before = await read(files)
      const dice = new Dice(files.length + tool.length)
      const contents = files.map(contentOf)
      const places = contents.flatMap((content, i) => objectPlaces(content, names).map((place) => ({ ...place, i })))
      // By name, so that a field that few objects have is as likely as the others.
      const fields = places.flatMap((place) => [...pathsIn(place.object)].map((field) => ({ ...place, field })))
      const named = Map.groupBy(fields, ({ field }) =>
        field.map((name) => (/^\d+$/.test(`${name}`) ? 0 : name)).join('.'),
      )
      for (let n = 0; n < CASES * rounds; n += 1) {
        const { i, path, object, field } = dice.pick(dice.pick([...named.values()]))
        const value = dice.pick(hostile)
        const content = replaced(contents[i], [...path, ...field], value)
        const name = files[i]?.name ?? ''
        const after = await read(files.map((file, at) => (at === i ? fileWith(content, name) : file)))
        const what = `${name} ${[...path, ...field].join('.')} = ${String(JSON.stringify(value)).slice(0, 50)}`
        // Settings of a provider are defaults of endpoints.
        if (path[0] === 'alerting') assertListed(before, after, what)
        else assertOthersKept(before, after, ofEntry(object, path), what)
      }
    })
  }
}

function contentOf({ name, bytes }: SourceFile): unknown {
  const text = Buffer.from(bytes).toString()
  return name.endsWith('.yaml') ? parse(text, { merge: true }) : JSON.parse(text)
}

/** Where the objects of an answer are: in lists with these names, or in the answer if it is a list or an object with an id. */
function objectPlaces(
  content: Anything,
  names: readonly string[],
): { readonly path: Path; readonly object: Anything }[] {
  const inside = (value: Anything, path: Path) =>
    Object.entries(value ?? {}).flatMap(([name, object]) =>
      typeof object === 'object' && object !== null ? [{ path: [...path, name], object }] : [],
    )
  if (Array.isArray(content)) return inside(content, [])
  if ('id' in content) return [{ path: [], object: content }]
  return names.flatMap((name) => {
    const value = content[name]
    if (value === undefined) return []
    return 'id' in value || ['maintenance', 'ui'].includes(name)
      ? [{ path: [name], object: value }]
      : inside(value, [name])
  })
}

/** Whether an object of the report, or a part of it, comes from an entry of a file. */
function ofEntry(entry: Anything, path: Path): IsOfChanged {
  const clean = (part: unknown) =>
    String(part ?? '')
      .toLowerCase()
      .replace(/[/_.,\s#+&]/g, '-')
  const [first, name] = path
  // Subscribers are reported by mode.
  const ids = [
    entry.id,
    entry.mode,
    entry.uuid,
    entry.unique_key,
    `${clean(entry.group)}_${clean(entry.name)}`,
    name,
    first,
  ].map(String)
  return ({ sourceId }) =>
    ids.some((id) => sourceId === id || sourceId.startsWith(`${id}-`) || sourceId.startsWith(`${id}/`))
}

/** Tables whose rows are objects, or parts of them. */
const tables = ['monitor', 'notification', 'maintenance', 'status_page', 'incident', 'tag', 'proxy', 'setting', 'group']

describe('a column of any value costs only its row', () => {
  for (const version of versions) {
    test(version, () => {
      using database = changedDatabase(version, withoutHistory(version))
      const path = database.path
      using connection = new DatabaseSync(path)
      const read = () => sourceResult(path)
      const before = read()
      const dice = new Dice(version.length)
      for (let n = 0; n < ROW_CASES * rounds; n += 1) {
        const table = dice.pick(tables)
        const rows = connection.prepare(`SELECT rowid AS rowid, * FROM "${table}"`).all()
        const row = dice.pick(rows)
        if (row === undefined) continue
        const column = dice.pick(Object.keys(row).filter((name) => name !== 'rowid' && name !== 'id'))
        const value = columnValue(dice.pick(hostile))
        if (!changed(connection, table, column, value, row.rowid as number)) continue
        const what = `${table} ${row.rowid} ${column} = ${String(value).slice(0, 50)}`
        const isPart = ['tag', 'setting', 'group', 'proxy'].includes(table)
        const kind = table === 'status_page' ? 'status page' : table
        const ofRow: IsOfChanged = (object) =>
          (object.kind === kind && object.sourceId === String(row.id)) || object.kind === 'domain'
        const after = read()
        if (isPart) assertListed(before, after, what)
        else assertOthersKept(before, after, ofRow, what)
        changed(connection, table, column, row[column] as SQLInputValue, row.rowid as number)
      }
      assert.deepEqual(read(), before, 'every change was taken back')
    })
  }
})

function sourceResult(path: string): ImportResult {
  return readKuma([fileAt(path)])
}

/** What belongs to many objects may change them all. */
function assertListed(before: ImportResult, after: ImportResult, what: string): void {
  const missing = new Set(before.objects.map(placeOf)).difference(new Set(after.objects.map(placeOf)))
  const others = [...missing].filter((place) => !place.startsWith('alerting provider'))
  assert.deepEqual(others, [], what)
}

function columnValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SQLInputValue)
}

/** False if the table does not take the value. */
function changed(connection: DatabaseSync, table: string, column: string, value: SQLInputValue, row: number): boolean {
  try {
    connection.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`).run(value, row)
    return true
  } catch {
    return false
  }
}

function withoutHistory(version: Version): string {
  const stats = ['stat_minutely', 'stat_hourly', 'stat_daily'].map((table) => `DELETE FROM ${table};`).join('')
  return `PRAGMA journal_mode = DELETE; DELETE FROM heartbeat; ${version === 'kuma-1.db.gz' ? '' : stats} VACUUM`
}
