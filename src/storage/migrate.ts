import { sql } from 'kysely'
import { type Database, type Engine, StorageUnusable } from './database.ts'
import { baseline } from './migrations/0001-baseline.ts'
import type { Migration } from './migrations/migration.ts'
import { all, type DbWork, execute, q, run, statement } from './query.ts'

export const migrations: readonly Migration[] = [baseline]

const applied = statement((_: object) => q.selectFrom('migrations').select('id').orderBy('id'))

const record = statement((row: { id: number; name: string; now: number }) =>
  q.insertInto('migrations').values({ id: row.id, name: row.name, applied_at: row.now }),
)

/**
 * Applies the missing migrations, on one node at a time, and returns them. They share one transaction, except for index
 * builds, which come between transactions.
 */
export async function migrate(database: Database, now: number, steps = migrations): Promise<readonly Migration[]> {
  const { engine } = database
  if ((await database.read(pendingMigrations(engine, steps))).length === 0) return []
  return database.changeSchema('migrate', async (session) => {
    const done: Migration[] = []
    for (;;) {
      const { applied, next } = await session.transaction(() => applyMissing(engine, now, steps))
      done.push(...applied)
      if (next?.index === undefined) return done
      await session.buildIndex(next.index)
      await session.transaction(() => run(record, { id: next.id, name: next.name, now }))
      done.push(next)
    }
  })
}

interface Progress {
  readonly applied: readonly Migration[]
  /** The index build that comes next. */
  readonly next: Migration | undefined
}

/** Applies the missing migrations up to the next index build. */
function* applyMissing(engine: Engine, now: number, steps: readonly Migration[]): DbWork<Progress> {
  yield* exec(
    'create table if not exists migrations (id integer not null primary key, name text not null, applied_at bigint not null)',
  )
  const done = new Set((yield* all(applied, {})).map((row) => row.id))
  refuseNewerSchema(done, steps)
  const missing = steps.filter((step) => !done.has(step.id))
  const indexAt = missing.findIndex((step) => step.index !== undefined)
  const ready = indexAt === -1 ? missing : missing.slice(0, indexAt)
  for (const step of ready) {
    for (const text of step.sql(engine)) yield* exec(text)
    yield* run(record, { id: step.id, name: step.name, now })
  }
  return { applied: ready, next: indexAt === -1 ? undefined : missing[indexAt] }
}

function refuseNewerSchema(done: ReadonlySet<number>, steps: readonly Migration[]): void {
  const unknown = [...done].filter((id) => !steps.some((step) => step.id === id))
  if (unknown.length === 0) return
  throw new StorageUnusable(
    `The database was upgraded by a newer version of Pharos (schema ${Math.max(...unknown)}, this version supports ${steps.at(-1)?.id}); start the newer version or restore a backup`,
  )
}

/** The migrations that `migrate` would apply: all of them if the database is empty. */
export function* pendingMigrations(engine: Engine, steps = migrations): DbWork<readonly Migration[]> {
  const [table] = yield* execute(
    engine === 'sqlite'
      ? sql<{ n: number }>`select count(*) as n from sqlite_master where name = 'migrations'`
      : sql<{
          n: number
        }>`select count(*) as n from pg_tables where schemaname = any (current_schemas(false)) and tablename = 'migrations'`,
  )
  if (table?.n === 0) return steps
  const done = new Set((yield* all(applied, {})).map((row) => row.id))
  refuseNewerSchema(done, steps)
  return steps.filter((step) => !done.has(step.id))
}

function* exec(text: string): DbWork<void> {
  yield* execute(sql.raw(text))
}
