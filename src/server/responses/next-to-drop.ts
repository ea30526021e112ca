/** A response, or a part of it, that its reader has not taken yet. */
export interface PendingResponse {
  /** Who reads it: an organization or an address. */
  readonly client: string
  readonly bytes: number
  /** When the connection last took bytes of it. */
  readonly progressAt: number
}

/** A reader without progress for this long may be dropped in favour of another reader of the same client. */
const STALLED_MS = 3_000

export function isStalled({ progressAt }: PendingResponse, now: number): boolean {
  return now - progressAt >= STALLED_MS
}

/**
 * The response to drop so that `incoming` fits into memory, or null if it has to be refused. The client with the most pending
 * bytes loses its slowest response first, so that many slow readers of one client do not cost others theirs. If that is the
 * client of the incoming response, only its readers that have stopped reading are dropped; if it has no others pending, those
 * of any client.
 */
export function nextToDrop<Pending extends PendingResponse>(
  pending: Iterable<Pending>,
  incoming: Pick<PendingResponse, 'client' | 'bytes'>,
  now: number,
): Pending | null {
  const all = [...pending]
  const sums = new Map([[incoming.client, incoming.bytes]])
  for (const { client, bytes } of all) sums.set(client, (sums.get(client) ?? 0) + bytes)
  const largest = Math.max(...sums.values())
  const ofLargest = all.filter(({ client }) => sums.get(client) === largest)
  if (sums.get(incoming.client) !== largest) return slowestOf(ofLargest)
  return slowestOf((ofLargest.length > 0 ? ofLargest : all).filter((each) => isStalled(each, now)))
}

function slowestOf<Pending extends PendingResponse>(pending: readonly Pending[]): Pending | null {
  return pending.reduce<Pending | null>(
    (slowest, each) => (slowest === null || each.progressAt < slowest.progressAt ? each : slowest),
    null,
  )
}
