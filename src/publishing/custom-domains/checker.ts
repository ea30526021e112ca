import type { QueryDns } from '../../outbound/dns-client.ts'
import { startWorker, type Worker, type WorkerParts } from '../../storage/queue/worker.ts'
import { findPageDomain } from './claims.ts'
import { findProof } from './find-proof.ts'
import { installationHost } from './names.ts'
import { type CheckOutcome, type DomainClaim, domainQueue, settleCheck } from './save-check.ts'

interface DomainCheckerOptions extends WorkerParts {
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

/** Checks the proofs of custom domains that are due. */
export function startDomainChecker(options: DomainCheckerOptions): Worker {
  const { database, clock, log, baseUrl, queryDns } = options

  async function check(claim: DomainClaim, stopping: AbortSignal): Promise<void> {
    const { domain, org_id: orgId, page_id: pageId } = claim
    const page = await database.read(findPageDomain({ orgId, pageId }))
    // The page was deleted meanwhile, and its claim with it.
    if (page === undefined) return
    const question = { domain, token: page.domain_token, host: installationHost(baseUrl()) }
    const finding = await findProof(question, queryDns, stopping)
    if (stopping.aborted) return void (await database.write(() => domainQueue.release(claim, clock.now())))
    const outcome = await database.write(() => settleCheck(claim, finding, clock.now()))
    const message = messages[outcome]
    if (message !== undefined) log.info({ domain, page: pageId }, message)
  }

  const worker = startWorker<DomainClaim>(
    {
      name: 'custom domains',
      lanes: [{ capacity: () => MAX_CHECKS, claim: (request) => domainQueue.claim(request) }],
      queue: domainQueue,
      restMs: REST_MS,
      process: check,
      logFields: ({ domain, page_id: page }) => ({ domain, page }),
    },
    options,
  )
  return { ...worker, stop: () => worker.stop(0) }
}
