import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import { startSender } from '../../notifications/webhooks/sender.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createHttpSender } from '../../outbound/http-sender.ts'
import type { Database } from '../../storage/database.ts'
import type { ClusterNode } from '../../storage/nodes/node.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { senderMetrics } from '../metrics/webhook-metrics.ts'
import { alertOfDisabled } from './alerts.ts'
import { runAsNode, sendWhileAlive } from './run-as-node.ts'

interface Dependencies {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly node: ClusterNode
}

/** Webhook requests that one node sends at the same time. */
const CAPACITY = 400

/** Starts the webhook sender on nodes with the role `sender`. */
export function startWebhookWorker(parts: Dependencies, undo: (() => unknown)[]): { nudge(): void } {
  const { config, database, sealer, clock, log, metrics, node } = parts
  if (!config.roles.includes('sender')) return { nudge: () => {} }
  const policy = parseAddressPolicy(config.privateWebhooks)
  const poster = createHttpSender({ guard: createGuard({ policy }) })
  undo.push(() => poster.close())
  const counters = senderMetrics(metrics.registry, () => sender.current?.inFlight ?? 0)
  const post = sendWhileAlive(node, poster.send)
  const sender = runAsNode(node, log, (name) =>
    startSender({
      ...{ database, sealer, clock, log, policy, counters, post },
      node: name,
      delaysSeconds: config.webhookScheduleSeconds,
      random: Math.random,
      capacity: CAPACITY,
      onDisabled: alertOfDisabled,
    }),
  )
  undo.push(() => sender.stop())
  const nudge = (): void => sender.current?.nudge()
  node.subscribe({ released: nudge })
  return { nudge }
}
