import { AssignedChecks } from '../../../src/monitoring/checks/assigned-checks.ts'
import { CheckConfigCache } from '../../../src/monitoring/checks/check-config.ts'
import type { CheckSource } from '../../../src/monitoring/checks/check-source.ts'
import { SingleNodeChecks } from '../../../src/monitoring/checks/single-node-checks.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { testSealer } from '../../support/installation.ts'

/** The schedule of a node that shares the database with others. */
export async function assignedChecks(
  database: Database,
  name: string,
  elapsed?: () => number,
): Promise<AssignedChecks> {
  await database.write(() =>
    execute(
      q
        .insertInto('nodes')
        .values({ name, started_at: 0, renewed_at: 0, monitors: 0 })
        .onConflict((conflict) => conflict.doNothing()),
    ),
  )
  const cluster = { isAlive: () => true, members: () => [], reportMonitors: () => {} }
  return new AssignedChecks({
    database,
    configs: new CheckConfigCache(testSealer),
    name,
    cluster,
    ...(elapsed && { elapsed }),
  })
}

/** The schedule that a node on this engine has. */
export async function sourceOn(database: Database, name = 'a'): Promise<CheckSource> {
  if (database.engine === 'sqlite') return new SingleNodeChecks(database, new CheckConfigCache(testSealer))
  return assignedChecks(database, name)
}
