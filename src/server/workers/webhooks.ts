import { startSender } from '../../notifications/webhooks/sender.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createHttpSender } from '../../outbound/http-sender.ts'
import { senderMetrics } from '../metrics/metrics.ts'
import { alertOfDisabled } from './alerts.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { runAsNode, sendWhileAlive } from './run-as-node.ts'

/** Webhook endpoints that one node sends to at the same time, up to four requests each; half as many again that fail. */
const CAPACITY = 200

/** Starts the webhook sender on nodes with the role `sender`. */
export function startWebhookWorker(parts: WorkerDependencies, undo: (() => unknown)[]): { nudge(): void } {
  const { config, database, sealer, clock, log, metrics, node } = parts
  if (!config.roles.includes('sender')) return { nudge: () => {} }
  const policy = parseAddressPolicy(config.privateWebhooks)
  const poster = createHttpSender({ guard: createGuard({ policy }) })
  undo.push(() => poster.close())
  const counters = senderMetrics(metrics.registry)
  const post = sendWhileAlive(node, poster.send)
  return runAsNode(node, log, undo, (name) =>
    startSender({
      database,
      sealer,
      clock,
      log,
      policy,
      counters,
      post,
      node: name,
      delaysSeconds: config.webhookScheduleSeconds,
      random: Math.random,
      capacity: CAPACITY,
      onDisabled: alertOfDisabled,
    }),
  )
}
