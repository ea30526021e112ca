import type { Transports } from '../../contract/services.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { startLoop } from '../../lib/loop.ts'
import { shortenUrl } from '../../lib/mask.ts'
import { uptimeSince } from '../../monitoring/uptime/uptime-since.ts'
import { wakeOverlooked } from '../../notifications/contacts/claim.ts'
import { releaseMutedAlerts } from '../../notifications/contacts/muted-alerts.ts'
import { alertContacts, countFailing } from '../../notifications/contacts/queries.ts'
import { startAlertSender } from '../../notifications/contacts/sender.ts'
import type { SendTiming } from '../../notifications/contacts/settle.ts'
import { retryDelaysMs } from '../../notifications/deliveries/retry-delays.ts'
import type { OnDisabled } from '../../notifications/webhooks/settle.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createEmailSender } from '../../outbound/email.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createHttpSender } from '../../outbound/http-sender.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Config } from '../config/config.ts'
import { alertMetrics } from '../metrics/metrics.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { mailWhileAlive, runAsNode, sendWhileAlive } from './run-as-node.ts'

interface Dependencies extends WorkerDependencies {
  readonly pace?: SendTiming
}

/** Finding and claiming a due contact takes up to this. */
const CLAIM_MS = 500

/**
 * Alerts are grouped for PHAROS_ALERT_WAIT; a message about an outage is on its way by then. Other messages to the same contact are a
 * minute apart.
 */
const defaultTiming = ({ alertWaitSeconds }: Config): SendTiming => ({
  groupWaitMs: Math.max(0, alertWaitSeconds * SECOND_MS - CLAIM_MS),
  spacingMs: MINUTE_MS,
  retryDelaysMs: retryDelaysMs.alert,
})

/** Messages sent at the same time by one node. */
const CAPACITY = 200
const WAKE_EVERY_MS = 5 * SECOND_MS

/** Starts the alert sender on nodes with the role `sender`. */
export function startAlertWorker(parts: Dependencies, undo: (() => unknown)[]): void {
  const { config, database, sealer, clock, log, metrics, node, baseUrl, pace = defaultTiming(parts.config) } = parts
  if (!config.roles.includes('sender')) return
  const { transports, close } = openTransports(config)
  undo.push(close)
  const counters = alertMetrics(metrics.registry, async () => database.read(countFailing()))
  const guarded = {
    post: sendWhileAlive(node, transports.post),
    mail: transports.mail && mailWhileAlive(node, transports.mail),
  }
  const { nudge } = runAsNode(node, log, undo, (name) =>
    startAlertSender({
      database,
      transports: guarded,
      sealer,
      clock,
      log,
      node: name,
      baseUrl,
      timing: pace,
      counters,
      random: Math.random,
      capacity: CAPACITY,
      uptimeSince,
    }),
  )
  const waking = startLoop('waking overlooked contacts', log, async () => {
    await database.write(() => releaseMutedAlerts(clock.now()))
    if ((await database.write(() => wakeOverlooked(clock.now()))) > 0) nudge()
    return { restMs: WAKE_EVERY_MS }
  })
  undo.push(() => waking.stop())
}

/** Requests to alert channels pass the same address guard as webhooks. */
export function openTransports({ privateWebhooks, mail }: Config): { transports: Transports; close(): void } {
  const poster = createHttpSender({ guard: createGuard({ policy: parseAddressPolicy(privateWebhooks) }) })
  return { transports: { post: poster.send, mail: mail && createEmailSender(mail) }, close: () => poster.close() }
}

const REASONS = { GONE: 'endpoint_gone', FAILING: 'endpoint_failing' } as const

/** Alerts all contacts that an endpoint was disabled, in the same transaction. */
export const alertOfDisabled: OnDisabled = function* ({ orgId, endpointId, url, reason: because, now }): DbWork<void> {
  yield* alertContacts({
    orgId,
    kind: 'endpoint_disabled',
    monitorNum: null,
    monitorId: null,
    incidentId: null,
    subject: shortenUrl(url),
    target: endpointId,
    reason: reason(REASONS[because]),
    at: now,
  })
}
