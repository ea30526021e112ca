import { connectTcp } from '../../outbound/connect.ts'
import { createGuard } from '../../outbound/guard.ts'

const TIMEOUT_MS = 3_000
/** One result serves all checks that fail within this time. */
const CACHE_MS = 5_000

export interface Sentinel {
  readonly host: string
  readonly port: number
}

/**
 * Tells whether this node has a network. Sentinels are hosts that the operator expects to be up: when a target cannot be
 * reached and none of them can be either, the check is inconclusive. Without sentinels the answer is always true.
 */
export function createSentinelCheck(sentinels: readonly Sentinel[]): () => Promise<boolean> {
  // The operator chose the hosts, so private addresses are allowed.
  const guard = createGuard({ policy: 'allow' })
  let latest: { readonly at: number; readonly isUp: Promise<boolean> } | undefined

  async function reach({ host, port }: Sentinel): Promise<void> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { addresses } = await guard.resolve(host, signal)
    const { socket } = await connectTcp(addresses, port, signal)
    socket.destroy()
  }

  return () => {
    if (sentinels.length === 0) return Promise.resolve(true)
    const now = performance.now()
    if (latest === undefined || now - latest.at > CACHE_MS) {
      const isUp = Promise.any(sentinels.map(reach)).then(
        () => true,
        () => false,
      )
      latest = { at: now, isUp }
    }
    return latest.isUp
  }
}
