import type { QueryDns } from '../../outbound/dns-client.ts'
import { startDomainChecker } from '../../publishing/custom-domains/checker.ts'
import { resetDeadlines } from '../../publishing/custom-domains/claims.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { runAsNode } from './run-as-node.ts'

interface Dependencies extends Omit<WorkerDependencies, 'sealer' | 'metrics'> {
  readonly queryDns: QueryDns
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
  return runAsNode(parts.node, parts.log, undo, (name) => startDomainChecker({ ...parts, node: name }))
}
