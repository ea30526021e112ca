import { type Clock, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { startLoop } from '../../lib/loop.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { MessageSenders } from '../../contract/app-operation.ts'
import { RETRY_DELAYS_MS } from '../../notifications/contacts/next-step.ts'
import { alertContacts, countFailing } from '../../notifications/contacts/queries.ts'
import { contactClaims, wakeOverlooked } from '../../notifications/contacts/release.ts'
import { startAlertSender } from '../../notifications/contacts/sender.ts'
import type { SendTiming } from '../../notifications/contacts/settle.ts'
import type { OnDisabled } from '../../notifications/webhooks/record.ts'
import { parsePolicy } from '../../outbound/addresses.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createMail } from '../../outbound/mail.ts'
import { createPost } from '../../outbound/poster.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { alertMetrics } from '../metrics/alert-metrics.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'

interface Parts {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly node: string
  readonly baseUrl: () => string
  readonly pace?: SendTiming
}

/**
 * A single outage is told within seconds, and a storm in two messages a minute at most; in one where the operator would
 * rather wait.
 */
const usualPace = ({ alertWaitSeconds }: Config): SendTiming => ({
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
  const { senders, close } = openMessageSenders(config)
  undo.push(close)
  const sender = startAlertSender({
    ...{ database, senders, sealer, clock, log, nodeId: node, baseUrl, timing: pace },
    random: Math,
    counters: alertMetrics(metrics.registry, async () => database.read(countFailing())),
    capacity: CAPACITY,
  })
  undo.push(() => sender.stop())
  const releasing = startLoop('releasing claims on contacts', log, async () => {
    const now = clock.now()
    const released = await contactClaims.releaseOfDead(database, node, now)
    if (released + (await database.write(() => wakeOverlooked(now))) > 0) sender.nudge()
    return { restMs: RELEASE_EVERY_MS }
  })
  undo.push(() => releasing.stop())
}

/** Requests to alert channels pass the same address guard as webhooks. */
export function openMessageSenders({ privateWebhooks, mail }: Config): { senders: MessageSenders; close(): void } {
  const poster = createPost({ guard: createGuard({ policy: parsePolicy(privateWebhooks) }) })
  return { senders: { post: poster.post, mail: mail && createMail(mail) }, close: () => poster.close() }
}

const REASONS = { GONE: 'It answered 410 Gone', FAILING: 'Every delivery has failed for 5 days' } as const

/** Tells everybody that an endpoint was disabled, in the transaction in which it is. */
export const alertOfDisabled: OnDisabled = function* ({ orgId, endpointId, url, reason, now }): DbWork<void> {
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
