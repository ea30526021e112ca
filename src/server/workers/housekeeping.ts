import { pruneChallenges } from '../../accounts/factors/challenges.ts'
import { pruneInvitations } from '../../accounts/members/invitations.ts'
import { pruneAttempts } from '../../accounts/sessions/attempt-limits.ts'
import { pruneSessions } from '../../accounts/sessions/queries.ts'
import { pruneTokens } from '../../accounts/users/tokens.ts'
import { pruneAuditEntries } from '../../events/audit.ts'
import { pruneEvents } from '../../events/prune.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, startLoop } from '../../lib/loop.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { pruneCoverage } from '../../monitoring/maintenance-coverage/coverage.ts'
import { pruneAlerts } from '../../notifications/contacts/prune.ts'
import { pruneSubscribersOfDeletedPages, pruneNotices, pruneUnconfirmed } from '../../notifications/subscribers/prune.ts'
import { pruneDeliveries, pruneRemains } from '../../notifications/webhooks/prune.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { pruneRecords } from '../api/idempotency.ts'
import type { KeyUse } from '../api/key-usage.ts'

const EVERY_MS = 30_000
const AT_ONCE = 500

/** Each removes a few rows that have had their time, and says how many. */
const steps: readonly { readonly doing: string; readonly step: (now: number) => DbWork<number> }[] = [
  { doing: 'forgetting idempotency records', step: (now) => pruneRecords(now, AT_ONCE) },
  { doing: 'removing old deliveries', step: (now) => pruneDeliveries(now, AT_ONCE) },
  { doing: 'removing deliveries of deleted endpoints', step: () => pruneRemains(AT_ONCE) },
  { doing: 'forgetting alerts', step: (now) => pruneAlerts(now, AT_ONCE) },
  { doing: 'forgetting past maintenance', step: (now) => pruneCoverage(now, AT_ONCE) },
  { doing: 'forgetting addresses that were not confirmed', step: (now) => pruneUnconfirmed(now, AT_ONCE) },
  { doing: 'dropping old notices to subscribers', step: (now) => pruneNotices(now, AT_ONCE) },
  { doing: 'removing subscribers of deleted pages', step: () => pruneSubscribersOfDeletedPages(AT_ONCE) },
  { doing: 'forgetting sessions', step: (now) => pruneSessions(now, AT_ONCE) },
  { doing: 'forgetting failed attempts', step: (now) => pruneAttempts(now, AT_ONCE) },
  { doing: 'forgetting invitations', step: (now) => pruneInvitations(now, AT_ONCE) },
  { doing: 'forgetting links', step: (now) => pruneTokens(now, AT_ONCE) },
  { doing: 'forgetting challenges', step: (now) => pruneChallenges(now, AT_ONCE) },
  { doing: 'forgetting old changes', step: (now) => pruneAuditEntries(now, AT_ONCE) },
  { doing: 'forgetting events', step: (now) => pruneEvents(now, AT_ONCE) },
]

/** Small steps that keep tables from growing for ever; none is needed for an answer to be right. */
export function startHousekeeping(parts: { database: Database; keyUse: KeyUse; clock: Clock; log: Log }): Loop {
  const { database, keyUse, clock, log } = parts
  return startLoop('housekeeping', log, async () => {
    await keyUse.flush().catch(tolerate(log, 'noting when keys were used'))
    await database.rateLimiter.prune().catch(tolerate(log, 'forgetting rate windows'))
    let isMore = false
    for (const { doing, step } of steps) {
      const done = await database.write(() => step(clock.now())).catch(tolerate(log, doing))
      isMore ||= (done ?? 0) > 0
    }
    return isMore ? 'again' : { restMs: EVERY_MS }
  })
}
