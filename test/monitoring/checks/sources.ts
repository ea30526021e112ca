import { AssignedChecks } from '../../../src/monitoring/checks/assigned-checks.ts'
import { CheckConfigCache } from '../../../src/monitoring/checks/check-config.ts'
import type { CheckSource } from '../../../src/monitoring/checks/check-source.ts'
import { SingleNodeChecks } from '../../../src/monitoring/checks/single-node-checks.ts'
import type { Database } from '../../../src/storage/database.ts'
import { testSealer } from '../../support/installation.ts'

/** The schedule of a node that shares the database with others that it does not know. */
export function assignedChecks(database: Database, name: string): AssignedChecks {
  const node = { name, isAlive: () => true, members: () => [], reportMonitors: () => {} }
  return new AssignedChecks({ database, configs: new CheckConfigCache(testSealer), node, goneNodes: async () => [] })
}

/** The schedule that a node on this engine has. */
export function sourceOn(database: Database, name = 'a'): CheckSource {
  if (database.engine === 'sqlite') return new SingleNodeChecks(database, new CheckConfigCache(testSealer))
  return assignedChecks(database, name)
}
