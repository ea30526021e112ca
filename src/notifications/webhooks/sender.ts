import { SECOND_MS } from '../../lib/clock.ts'
import { startLoop } from '../../lib/loop.ts'
import { Dispatcher, type SenderParts } from './dispatcher.ts'
import { endpointQueue } from './endpoint-queue.ts'

export interface Sender {
  /** Something may have become due. */
  nudge(): void
  readonly inFlight: number
  stop(): Promise<void>
}

const EXTEND_EVERY_MS = endpointQueue.spec.leaseMs / 3
const RELEASE_EVERY_MS = 5 * SECOND_MS

export function startSender(parts: SenderParts): Sender {
  const { log } = parts
  const dispatcher = new Dispatcher(parts)
  const claiming = startLoop('webhook sender', log, () => dispatcher.claimDue())
  const extending = startLoop('extending leases of webhook endpoints', log, async () => {
    await dispatcher.extendLeases()
    return { restMs: EXTEND_EVERY_MS }
  })
  const releasing = startLoop('releasing webhook endpoints of dead nodes', log, async () => {
    if ((await dispatcher.releaseDead()) > 0) claiming.nudge()
    return { restMs: RELEASE_EVERY_MS }
  })
  return {
    nudge: () => claiming.nudge(),
    get inFlight() {
      return dispatcher.inFlight
    },
    async stop() {
      await Promise.all([claiming, extending, releasing].map((loop) => loop.stop()))
      await dispatcher.stop()
    },
  }
}
