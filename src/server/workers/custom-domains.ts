import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { QueryDns } from '../../outbound/dns-client.ts'
import { startDomainChecker } from '../../publishing/custom-domains/checker.ts'
import { resetDeadlines } from '../../publishing/custom-domains/claims.ts'
import type { Database } from '../../storage/database.ts'
import type { ClusterNode } from '../../storage/nodes/node.ts'
import type { Config } from '../config/config.ts'
import { runAsNode } from './run-as-node.ts'

interface Dependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly node: ClusterNode
  readonly queryDns: QueryDns
  readonly baseUrl: () => string
}

/** Checks the proofs of custom domains on nodes with the role `scheduler`, if the installation requires proofs. */
export async function startDomainWorker(
  { config, ...parts }: Dependencies,
  undo: (() => unknown)[],
): Promise<{ nudge(): void }> {
  const idle = { nudge: () => {} }
  if (!config.roles.includes('scheduler')) return idle
  if (!config.requiresDomainProof) {
    await parts.database.write(resetDeadlines)
    return idle
  }
  const { node } = parts
  const checker = runAsNode(node, parts.log, (name) => startDomainChecker({ ...parts, node: name }))
  undo.push(() => checker.stop())
  const nudge = (): void => checker.current?.nudge()
  node.subscribe({ released: nudge })
  return { nudge }
}
