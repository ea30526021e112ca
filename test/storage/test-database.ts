import { join } from 'node:path'
import type { Database, Engine } from '../../src/storage/database.ts'
import { execute, q } from '../../src/storage/query.ts'
import { SQLITE_FILE } from '../../src/storage/sqlite/database.ts'
import { emptyWorkspace, migratedWorkspace, type Workspace } from '../support/workspace.ts'

export interface TestDatabase extends Workspace {
  readonly database: Database
  /** The SQLite file and the PostgreSQL URL, for direct access. */
  readonly file: string
  readonly url: string
}

/** A database without tables. */
export async function emptyTestDatabase(engine: Engine): Promise<TestDatabase> {
  return testDatabase(await emptyWorkspace(engine))
}

/** A database with all tables. */
export async function migratedTestDatabase(engine: Engine): Promise<TestDatabase> {
  return testDatabase(await migratedWorkspace(engine))
}

/** The same, with an empty table `settings` that tests may fill. */
export async function databaseWithoutSettings(engine: Engine): Promise<TestDatabase> {
  const created = await migratedTestDatabase(engine)
  await created.database.write(() => execute(q.deleteFrom('settings')))
  return created
}

async function testDatabase(workspace: Workspace): Promise<TestDatabase> {
  const { dataDir, databaseUrl = '' } = workspace.storage
  return { ...workspace, database: await workspace.open(), file: join(dataDir, SQLITE_FILE), url: databaseUrl }
}
