import { type Clock, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { startLoop } from '../lib/loop.ts'
import type { Sealer } from '../lib/seal.ts'
import type { Ways } from '../notifications/contacts/channels/channel.ts'
import { RETRY_DELAYS_MS } from '../notifications/contacts/next-step.ts'
import { alertContacts, countFailing } from '../notifications/contacts/queries.ts'
import { contactClaims, wakeForgotten } from '../notifications/contacts/release.ts'
import { startSender } from '../notifications/contacts/sender.ts'
import type { Pace } from '../notifications/contacts/settle.ts'
import type { OnDisabled } from '../notifications/webhooks/record.ts'
import { parsePolicy } from '../outbound/addresses.ts'
import { createGuard } from '../outbound/guard.ts'
import { createMail } from '../outbound/mail.ts'
import { createPost } from '../outbound/poster.ts'
import type { Database } from '../storage/database.ts'
import type { Work } from '../storage/query.ts'
import { alertMetrics } from './alert-metrics.ts'
import type { Config } from './config.ts'
import type { Metrics } from './metrics.ts'

interface Parts {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly node: string
  readonly baseUrl: () => string
  readonly pace?: Pace
}

/**
 * A single outage is told within seconds, and a storm in two messages a minute at most; in one where the operator would
 * rather wait.
 */
const usualPace = ({ alertWaitSeconds }: Config): Pace => ({
  groupWaitMs: alertWaitSeconds * SECOND_MS,
  spacingMs: MINUTE_MS,
  retryDelaysMs: RETRY_DELAYS_MS,
})

/** How many messages one node has under way at most; each holds a socket. */
const CAPACITY = 200
const RELEASE_EVERY_MS = 5 * SECOND_MS

/** Starts what tells contacts, on a node with that role. */
export function startAlerts(parts: Parts, undo: (() => unknown)[]): void {
  const { config, database, sealer, clock, log, metrics, node, baseUrl, pace = usualPace(parts.config) } = parts
  if (!config.roles.includes('sender')) return
  const { ways, close } = openWays(config)
  undo.push(close)
  const sender = startSender({
    ...{ database, ways, sealer, clock, log, node, baseUrl, pace },
    chance: Math,
    counts: alertMetrics(metrics.registry, async () => database.read(countFailing())),
    capacity: CAPACITY,
  })
  undo.push(() => sender.stop())
  const releasing = startLoop('releasing claims on contacts', log, async () => {
    const now = clock.now()
    const released = await contactClaims.releaseOfDead(database, node, now)
    if (released + (await database.write(() => wakeForgotten(now))) > 0) sender.nudge()
    return { restMs: RELEASE_EVERY_MS }
  })
  undo.push(() => releasing.stop())
}

/** The ways out for alerts; somebody else's servers are judged like webhook endpoints. */
export function openWays({ privateWebhooks, mail }: Config): { ways: Ways; close(): void } {
  const poster = createPost({ guard: createGuard({ policy: parsePolicy(privateWebhooks) }) })
  return { ways: { post: poster.post, mail: mail && createMail(mail) }, close: () => poster.close() }
}

const REASONS = { GONE: 'It answered 410 Gone', FAILING: 'Every delivery has failed for 5 days' } as const

/** Tells everybody that an endpoint was disabled, in the transaction in which it is. */
export const alertOfDisabled: OnDisabled = function* ({ orgId, endpointId, url, reason, now }): Work<void> {
  yield* alertContacts({
    orgId,
    kind: 'endpoint_disabled',
    monitorNum: null,
    monitorId: null,
    incidentId: null,
    subject: url,
    target: endpointId,
    reason: REASONS[reason],
    at: now,
  })
}
