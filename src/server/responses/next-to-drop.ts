/** A response, or a part of it, that its reader has not taken yet. */
export interface PendingResponse {
  /** Who reads it: an organization or an address. */
  readonly client: string
  readonly bytes: number
  /** When the connection last took bytes of it. */
  readonly progressAt: number
}

/**
 * The response to drop so that `incoming` fits into memory: the slowest of the client with the most pending bytes, so that many
 * slow readers of one client do not cost others theirs. Null if that is the client of the incoming response, which is refused then.
 */
export function nextToDrop<Pending extends PendingResponse>(
  pending: Iterable<Pending>,
  incoming: Pick<PendingResponse, 'client' | 'bytes'>,
): Pending | null {
  const all = [...pending]
  const sums = new Map([[incoming.client, incoming.bytes]])
  for (const { client, bytes } of all) sums.set(client, (sums.get(client) ?? 0) + bytes)
  const largest = Math.max(...sums.values())
  if (sums.get(incoming.client) === largest) return null
  const ofLargest = all.filter(({ client }) => sums.get(client) === largest)
  return ofLargest.reduce((slowest, each) => (each.progressAt < slowest.progressAt ? each : slowest))
}
