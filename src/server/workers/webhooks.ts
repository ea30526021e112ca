import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type Sender, startSender } from '../../notifications/webhooks/sender.ts'
import { parsePolicy } from '../../outbound/addresses.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createPost } from '../../outbound/poster.ts'
import type { Database } from '../../storage/database.ts'
import { alertOfDisabled } from './alerts.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { senderMetrics } from '../metrics/webhook-metrics.ts'

interface Parts {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly node: string
}

/** How many webhooks one node has under way at most; each holds a socket. */
const CAPACITY = 400

/** Starts what sends webhooks, on a node with that role. */
export function startSending(parts: Parts, undo: (() => unknown)[]): { nudge(): void } {
  const { config, database, sealer, clock, log, metrics, node } = parts
  if (!config.roles.includes('sender')) return { nudge: () => {} }
  const policy = parsePolicy(config.privateWebhooks)
  const poster = createPost({ guard: createGuard({ policy }) })
  undo.push(() => poster.close())
  let sender: Sender | undefined
  sender = startSender({
    ...{ database, sealer, clock, log, node, policy },
    post: poster.post,
    delaysSeconds: config.webhookScheduleSeconds,
    random: Math.random,
    counts: senderMetrics(metrics.registry, () => sender?.underWay ?? 0),
    capacity: CAPACITY,
    onDisabled: alertOfDisabled,
  })
  undo.push(() => sender?.stop())
  return sender
}
