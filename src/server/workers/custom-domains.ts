import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { QueryDns } from '../../outbound/dns-client.ts'
import { startDomainChecker } from '../../publishing/custom-domains/checker.ts'
import { resetDeadlines } from '../../publishing/custom-domains/claims.ts'
import type { Database } from '../../storage/database.ts'
import type { Config } from '../config/config.ts'

interface Dependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly node: string
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
  const checker = startDomainChecker(parts)
  undo.push(() => checker.stop())
  return checker
}
