import type { Engine } from '../../src/storage/database.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { temporaryFolder } from './children.ts'
import { note } from './table.ts'

/** Measures with SQLite, and with PostgreSQL if it is installed. `at` is a folder or the address of an empty database. */
export async function onBothEngines<T>(
  measure: (engine: Engine, at: string) => Promise<T>,
): Promise<readonly (readonly [name: string, measured: T])[]> {
  using folder = temporaryFolder()
  const measured: [string, T][] = [['SQLite', await measure('sqlite', folder.path)]]
  const programs = findServerPrograms()
  if (programs === null) note('(PostgreSQL was not found: its columns are missing.)')
  else {
    await using cluster = await startCluster(programs)
    await using empty = await freshDatabase(cluster.url)
    measured.push(['PostgreSQL', await measure('postgres', empty.url)])
  }
  return measured
}
