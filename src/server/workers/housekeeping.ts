import { pruneChallenges } from '../../accounts/factors/challenges.ts'
import { pruneMailWindows } from '../../accounts/mail-budgets/windows.ts'
import { pruneInvitations } from '../../accounts/members/invitations.ts'
import { pruneAttempts } from '../../accounts/sessions/attempt-limits.ts'
import { pruneKnownNetworks } from '../../accounts/sessions/known-networks.ts'
import { pruneSessions } from '../../accounts/sessions/queries.ts'
import { pruneTokens } from '../../accounts/users/tokens.ts'
import { prunePlans } from '../../configuration/stored-plans.ts'
import { pruneAuditEntries } from '../../events/audit.ts'
import { pruneEvents } from '../../events/emit.ts'
import { pruneImports } from '../../importers/stored-imports/rows.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { startLoop } from '../../lib/loop.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { pruneReasons } from '../../monitoring/check-results/reasons.ts'
import { pruneDeletedMonitors } from '../../monitoring/check-results/remove.ts'
import { pruneBlocks } from '../../monitoring/check-results/store.ts'
import { pruneCoverage } from '../../monitoring/maintenance-coverage/coverage.ts'
import { pruneAlerts } from '../../notifications/contacts/prune.ts'
import { pruneExpired } from '../../notifications/deliveries/queue.ts'
import { pruneSubscribersOfDeletedPages, pruneUnconfirmed } from '../../notifications/subscribers/prune.ts'
import { pruneDeliveries, pruneTombstones } from '../../notifications/webhooks/prune.ts'
import { pruneLostDomains } from '../../publishing/custom-domains/claims.ts'
import { pruneRuns } from '../../shadow-runs/runs.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { pruneCrashes } from '../../storage/queue/crashes.ts'
import { pruneLines } from '../../storage/sealed-lines.ts'
import { pruneRecords } from '../api/idempotency.ts'
import type { KeyUsage } from '../api/key-usage.ts'

const INTERVAL_MS = 30_000
const BATCH = 500

/** Each deletes up to BATCH expired rows and returns how many. None scans a table that can be large (pruning-plans.test.ts). */
export const pruneSteps: readonly { readonly doing: string; readonly step: (now: number) => DbWork<number> }[] = [
  { doing: 'deleting idempotency records', step: (now) => pruneRecords(now, BATCH) },
  { doing: 'deleting old deliveries', step: (now) => pruneDeliveries(now, BATCH) },
  { doing: 'deleting deliveries of deleted endpoints', step: () => pruneTombstones(BATCH) },
  { doing: 'deleting old alerts', step: (now) => pruneAlerts(now, BATCH) },
  { doing: 'deleting old maintenance coverage', step: (now) => pruneCoverage(now, BATCH) },
  { doing: 'deleting unconfirmed subscribers', step: (now) => pruneUnconfirmed(now, BATCH) },
  { doing: 'deleting expired messages', step: (now) => pruneExpired(now, BATCH) },
  { doing: 'deleting subscribers of deleted pages', step: () => pruneSubscribersOfDeletedPages(BATCH) },
  { doing: 'deleting records of lost custom domains', step: (now) => pruneLostDomains(now, BATCH) },
  { doing: 'deleting expired sessions', step: (now) => pruneSessions(now, BATCH) },
  { doing: 'deleting failed sign-in attempts', step: (now) => pruneAttempts(now, BATCH) },
  { doing: 'deleting old sign-in networks', step: (now) => pruneKnownNetworks(now, BATCH) },
  { doing: 'deleting expired mail limits', step: (now) => pruneMailWindows(now, BATCH) },
  { doing: 'deleting expired invitations', step: (now) => pruneInvitations(now, BATCH) },
  { doing: 'deleting expired account links', step: (now) => pruneTokens(now, BATCH) },
  { doing: 'deleting expired challenges', step: (now) => pruneChallenges(now, BATCH) },
  { doing: 'deleting old audit entries', step: (now) => pruneAuditEntries(now, BATCH) },
  { doing: 'deleting old check results', step: (now) => pruneBlocks(now, BATCH) },
  { doing: 'deleting the reasons of old check results', step: (now) => pruneReasons(now, BATCH) },
  { doing: 'deleting check results of deleted monitors', step: () => pruneDeletedMonitors(BATCH) },
  { doing: 'deleting old events', step: (now) => pruneEvents(now, BATCH) },
  { doing: 'deleting old configuration plans', step: (now) => prunePlans(now, BATCH) },
  { doing: 'deleting old imports', step: (now) => pruneImports(now, BATCH) },
  { doing: 'deleting old lines of plans and imports', step: (now) => pruneLines(now, BATCH) },
  { doing: 'deleting old shadow runs', step: (now) => pruneRuns(now, BATCH) },
  { doing: 'deleting old crashes', step: (now) => pruneCrashes(now, BATCH) },
]

interface Parts {
  readonly database: Database
  readonly keyUsage: KeyUsage
  readonly clock: Clock
  readonly log: Log
}

/** Deletes expired rows every 30 s. Correctness never depends on it: queries ignore expired rows. */
export function startHousekeeping({ database, keyUsage, clock, log }: Parts): { stop(): Promise<void> } {
  return startLoop('housekeeping', log, async () => {
    await keyUsage.flush().catch(tolerate(log, 'saving the last use of API keys'))
    await database.rateLimiter.prune().catch(tolerate(log, 'deleting old rate-limit windows'))
    let isMore = false
    for (const { doing, step } of pruneSteps) {
      const done = await database.write(() => step(clock.now())).catch(tolerate(log, doing))
      isMore ||= (done ?? 0) > 0
    }
    return isMore ? 'again' : { restMs: INTERVAL_MS }
  })
}
