import { connectTcp } from '../../outbound/connect.ts'
import { createGuard } from '../../outbound/guard.ts'

const PATIENCE_MS = 3_000
/** One answer serves all checks that fail within this time. */
const HOLDS_MS = 5_000

export interface Sentinel {
  readonly host: string
  readonly port: number
}

/**
 * Hosts that the operator knows to be up. When a target cannot be reached and none of them can be either, it is this
 * node that is cut off, and the check says nothing. Without sentinels the network is taken to be there.
 */
export function createSentinels(sentinels: readonly Sentinel[]): () => Promise<boolean> {
  // The operator chose them, so they may be anywhere.
  const guard = createGuard({ policy: 'allow' })
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined

  async function reaches({ host, port }: Sentinel): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { addresses } = await guard.resolve(host, signal)
    const { socket } = await connectTcp(addresses, port, signal)
    socket.destroy()
  }

  return () => {
    if (sentinels.length === 0) return Promise.resolve(true)
    const now = performance.now()
    if (asked === undefined || now - asked.at > HOLDS_MS) {
      const answer = Promise.any(sentinels.map(reaches)).then(
        () => true,
        () => false,
      )
      asked = { at: now, answer }
    }
    return asked.answer
  }
}
