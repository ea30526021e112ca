import { sql } from 'kysely'
import { type Database, type Engine, StorageUnusable } from './database.ts'
import { baseline } from './migrations/0001-baseline.ts'
import type { Migration } from './migrations/migration.ts'
import { all, type DbWork, execute, q, run, statement } from './query.ts'

export const migrations: readonly Migration[] = [baseline]

const applied = statement((_: object) => q.selectFrom('migrations').select(['id', 'compatible_from']).orderBy('id'))

const record = statement((row: { id: number; name: string; compatibleFrom: number; now: number }) =>
  q
    .insertInto('migrations')
    .values({ id: row.id, name: row.name, compatible_from: row.compatibleFrom, applied_at: row.now }),
)

/**
 * Applies the missing migrations, on one node at a time, and returns them. They share one transaction, except for index
 * builds, which come between transactions. An existing SQLite database is copied before. Tests add migrations to the steps.
 */
export async function migrate(
  database: Database,
  now: number,
  steps = migrations,
  report: (text: string) => void = () => undefined,
): Promise<readonly Migration[]> {
  const { engine } = database
  const { schema, missing } = await database.read(compareSchema(engine, steps))
  if (missing.length === 0) return []
  return database.changeSchema('migrate', async (session) => {
    const copy = schema === 0 ? undefined : await session.saveCopy?.(schema, now, report)
    const done: Migration[] = []
    try {
      for (;;) {
        const { applied, next } = await session.transaction(() => applyMissing(engine, now, steps))
        done.push(...applied)
        if (next?.index === undefined) break
        await session.buildIndex(next.index)
        await session.transaction(() => run(record, { ...next, now }))
        done.push(next)
      }
    } catch (error) {
      if (done.length === 0) copy?.remove()
      throw migrationFailed(error, done)
    }
    copy?.removeOlder()
    return done
  })
}

function migrationFailed(error: unknown, done: readonly Migration[]): unknown {
  if (error instanceof StorageUnusable) return error
  const state = done.length === 0 ? 'nothing was changed' : `migrations up to ${done.at(-1)?.id} were applied`
  return new StorageUnusable(
    `The database could not be upgraded, ${state}: ${(error as Error).message}; the previous version can still use it`,
    { cause: error },
  )
}

interface Progress {
  readonly applied: readonly Migration[]
  /** The index build that comes next. */
  readonly next: Migration | undefined
}

/** Applies the missing migrations up to the next index build. */
function* applyMissing(engine: Engine, now: number, steps: readonly Migration[]): DbWork<Progress> {
  yield* exec(`create table if not exists migrations (
    id integer not null primary key,
    name text not null,
    applied_at bigint not null,
    compatible_from integer not null
  )`)
  const { missing } = yield* compareSchema(engine, steps)
  const indexAt = missing.findIndex((step) => step.index !== undefined)
  const ready = indexAt === -1 ? missing : missing.slice(0, indexAt)
  for (const step of ready) {
    for (const text of step.sql(engine)) yield* exec(text)
    yield* run(record, { ...step, now })
  }
  return { applied: ready, next: indexAt === -1 ? undefined : missing[indexAt] }
}

interface SchemaComparison {
  /** The newest migration of the database, 0 if it is empty. It may be newer than this version. */
  readonly schema: number
  /** The migrations that `migrate` would apply: all of them if the database is empty. */
  readonly missing: readonly Migration[]
}

/** Throws if the database was upgraded to a schema that this version cannot use. */
export function* compareSchema(engine: Engine, steps = migrations): DbWork<SchemaComparison> {
  const [table] = yield* execute(
    engine === 'sqlite'
      ? sql<{ n: number }>`select count(*) as n from sqlite_master where name = 'migrations'`
      : sql<{
          n: number
        }>`select count(*) as n from pg_tables where schemaname = any (current_schemas(false)) and tablename = 'migrations'`,
  )
  const rows = table?.n === 0 ? [] : yield* all(applied, {})
  const known = steps.at(-1)?.id ?? 0
  const schema = Math.max(0, ...rows.map(({ id }) => id))
  if (rows.some(({ compatible_from }) => compatible_from > known)) {
    throw new StorageUnusable(
      `The database was upgraded by a newer version of Pharos (schema ${schema}, this version supports ${known}); start the newer version or restore a backup`,
    )
  }
  const done = new Set(rows.map(({ id }) => id))
  return { schema, missing: steps.filter(({ id }) => !done.has(id)) }
}

function* exec(text: string): DbWork<void> {
  yield* execute(sql.raw(text))
}
