import type { Database } from './database.ts'
import { type DbWork, first, q, run, statement } from './query.ts'

/**
 * Changes of existing rows that a migration cannot make, because they need code or must not take one long transaction. They
 * run once per database, in batches. If they are interrupted, they are done again.
 */

const readSetting = statement(({ name }: { name: string }) =>
  q.selectFrom('settings').select('value').where('name', '=', name),
)

const saveSetting = statement(({ name }: { name: string }) =>
  q
    .insertInto('settings')
    .values({ name, value: '1' })
    .onConflict((conflict) => conflict.doNothing()),
)

/** The setting records that the work is done. */
export async function oncePerDatabase(database: Database, name: string, work: () => Promise<void>): Promise<void> {
  if ((await database.read(first(readSetting, { name }))) !== undefined) return
  await work()
  await database.write(() => run(saveSetting, { name }))
}

export interface Batch<Key> {
  /** The key of the last row; undefined after the last batch. */
  readonly last: Key | undefined
  readonly changed: number
}

export const BATCH_SIZE = 500

export function batchOf<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key, changed: number): Batch<Key> {
  return { last: rows.length < BATCH_SIZE ? undefined : keyOf(rows.at(-1) as Row), changed }
}

/** Runs one transaction per batch and returns the number of changed rows. */
export async function inBatches<Key>(
  database: Database,
  start: Key,
  work: (after: Key) => DbWork<Batch<Key>>,
): Promise<number> {
  let changed = 0
  for (let after: Key | undefined = start; after !== undefined; ) {
    const from: Key = after
    const batch: Batch<Key> = await database.write(() => work(from))
    changed += batch.changed
    after = batch.last
  }
  return changed
}
