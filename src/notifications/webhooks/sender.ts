import { startLoop } from '../../lib/loop.ts'
import { Dispatcher, type SenderParts } from './dispatcher.ts'
import { endpointQueue } from './endpoint-queue.ts'

export interface Sender {
  /** Something may have become due. */
  nudge(): void
  readonly inFlight: number
  /** Requests in flight are aborted after the grace period. */
  stop(graceMs?: number): Promise<void>
}

const EXTEND_EVERY_MS = endpointQueue.spec.leaseMs / 3

export function startSender(parts: SenderParts): Sender {
  const { log } = parts
  const dispatcher = new Dispatcher(parts)
  const claiming = startLoop('webhook sender', log, () => dispatcher.claimDue())
  const extending = startLoop('extending leases of webhook endpoints', log, async () => {
    await dispatcher.extendLeases()
    return { restMs: EXTEND_EVERY_MS }
  })
  return {
    nudge: () => claiming.nudge(),
    get inFlight() {
      return dispatcher.inFlight
    },
    async stop(graceMs) {
      if (graceMs === 0) dispatcher.abort()
      await Promise.all([claiming, extending].map((loop) => loop.stop()))
      await dispatcher.stop(graceMs)
    },
  }
}
