import type { Database } from '../../src/storage/database.ts'
import { type ClaimTable, findOrphans, releaseOrphans } from '../../src/storage/nodes/release.ts'
import { execute, q } from '../../src/storage/query.ts'

/** Adds a node that never dies, and lets the database take locks in its name. */
export async function addNode(database: Database, name: string): Promise<{ remove(): Promise<void> }> {
  await database.write(() =>
    execute(q.insertInto('nodes').values({ name, started_at: 0, renewed_at: 0, process: null, monitors: 0 })),
  )
  database.lockAs(name)
  return {
    async remove() {
      await database.write(() => execute(q.deleteFrom('nodes').where('name', '=', name)))
    },
  }
}

/** What every node does every few seconds: releases claims of nodes that are no members. */
export async function releaseOrphaned(
  database: Database,
  table: ClaimTable,
  self: string,
  now: number,
): Promise<number> {
  const orphans = await database.read(findOrphans([table], self))
  return (await database.write(() => releaseOrphans(orphans, now))).length
}

/** Makes rows due that wait because they were in progress at several kills in a row (storage/queue/crashes.ts), as if that time had passed. */
export async function endWaits(database: Database): Promise<void> {
  await database.write(() => execute(q.updateTable('crashed_rows').set({ retry_at: 0 })))
}
