import type { Clock } from '../../lib/clock.ts'
import type { ForeignWork } from '../../lib/foreign-work.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Database } from '../../storage/database.ts'
import type { ClusterNode } from '../../storage/nodes/node.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'

/** What background workers need of the server. */
export interface WorkerDependencies {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly node: ClusterNode
  readonly foreign: ForeignWork
  readonly baseUrl: () => string
  /** Which targets are public, for tests; by the registries otherwise. */
  readonly isPublic?: ((address: string) => boolean) | undefined
}
