import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { temporaryFolder } from './children.ts'
import { note } from './table.ts'

/**
 * Measures with SQLite, and with PostgreSQL if it is installed, or only one of them (`sqlite`, `postgres`). `at` is a folder or the
 * address of an empty database.
 */
export async function onBothEngines<T>(
  measure: (name: string, at: string) => Promise<T>,
  only = '',
): Promise<readonly (readonly [name: string, measured: T])[]> {
  const measured: [string, T][] = []
  if (only !== 'postgres') {
    using folder = temporaryFolder()
    measured.push(['SQLite', await measure('SQLite', folder.path)])
  }
  const programs = findServerPrograms()
  if (programs === null) note('(PostgreSQL was not found: it is not measured.)')
  else if (only !== 'sqlite') {
    await using cluster = await startCluster(programs)
    await using empty = await freshDatabase(cluster.url)
    measured.push(['PostgreSQL', await measure('PostgreSQL', empty.url)])
  }
  return measured
}
