import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { QueryDns } from '../../outbound/dns-client.ts'
import type { Database } from '../../storage/database.ts'
import { processClaim } from '../../storage/queue/process.ts'
import { findPageDomain } from './claims.ts'
import { findProof } from './find-proof.ts'
import { installationHost } from './names.ts'
import { domainQueue } from './queue.ts'
import { type CheckOutcome, type DomainClaim, settleCheck } from './save-check.ts'

export interface DomainCheckerOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  readonly baseUrl: () => string
  readonly queryDns: QueryDns
}

const MAX_CHECKS = 10
const REST_MS = 1_000

const messages: Readonly<Partial<Record<CheckOutcome, string>>> = {
  verified: 'a custom domain is verified',
  failing: 'the proof of a custom domain is missing; the page is served there for the grace period',
  unproven: 'the proof of a custom domain was missing for too long; the page is no longer served there',
  released: 'a claim on a custom domain ended without proof; the domain is free',
}

/** Checks the proofs of custom domains that are due. All state is in the rows. */
export function startDomainChecker(options: DomainCheckerOptions): Loop {
  const { database, clock, log, node, baseUrl, queryDns } = options
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  async function tick(): Promise<Rest> {
    const now = clock.now()
    const limit = MAX_CHECKS - running.size
    if (limit > 0 && (await database.read(domainQueue.isAnyDue(now)))) {
      for (const claim of await database.write(() => domainQueue.claim({ node, now, limit }))) start(claim)
    }
    return { restMs: REST_MS }
  }

  function start(claim: DomainClaim): void {
    const processing = {
      work: () => check(claim),
      release: (dueAt: number) => domainQueue.release(claim, dueAt),
      about: { domain: claim.domain, page: claim.page_id },
    }
    const checking = processClaim(processing, { database, clock, log, stopping: stopping.signal }).finally(() => {
      running.delete(checking)
      loop.nudge()
    })
    running.add(checking)
  }

  async function check(claim: DomainClaim): Promise<void> {
    const { domain, org_id: orgId, page_id: pageId } = claim
    const page = await database.read(findPageDomain({ orgId, pageId }))
    // The page was deleted meanwhile, and its claim with it.
    if (page === undefined) return
    const question = { domain, token: page.domain_token, host: installationHost(baseUrl()) }
    const finding = await findProof(question, queryDns, stopping.signal)
    if (stopping.signal.aborted) return void (await database.write(() => domainQueue.release(claim, clock.now())))
    const outcome = await database.write(() => settleCheck(claim, finding, clock.now()))
    const message = messages[outcome]
    if (message !== undefined) log.info({ domain, page: pageId }, message)
  }

  const loop = startLoop('custom domains', log, tick)
  const stop = async (): Promise<void> => {
    await loop.stop()
    stopping.abort()
    await Promise.all(running)
  }
  return { nudge: () => loop.nudge(), stop, [Symbol.asyncDispose]: stop }
}
