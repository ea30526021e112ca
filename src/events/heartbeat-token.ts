import { parseStored } from '../lib/json.ts'
import type { Sealer } from '../lib/seal.ts'

/** The monitor that a heartbeat token belongs to. */
export interface TokenOwner {
  readonly orgId: string
  readonly id: string
}

export function sealHeartbeatToken(token: string, owner: TokenOwner, sealer: Sealer): string {
  return sealer.seal(token, contextOf(owner))
}

export function openHeartbeatToken(sealed: string, owner: TokenOwner, sealer: Sealer): string {
  return sealer.open(sealed, contextOf(owner))
}

function contextOf({ orgId, id }: TokenOwner): string {
  return `heartbeat ${orgId} ${id}`
}

export function heartbeatUrlOf(baseUrl: string, token: string): string {
  return `${baseUrl}/heartbeat/${token}`
}

/** An event as it is stored: of a CRON monitor, with a mask in place of the heartbeat token, and the sealed token. */
interface StoredEvent {
  readonly body: string
  readonly heartbeat_token: string | null
}

/** The exact bytes that are signed and sent. */
export function openEvent(orgId: string, { body, heartbeat_token: sealed }: StoredEvent, sealer: Sealer): string {
  if (sealed === null) return body
  const event = parseStored(body)
  const token = openHeartbeatToken(sealed, { orgId, id: event.data.id }, sealer)
  event.data.heartbeatUrl = event.data.heartbeatUrl.replace(/[^/]*$/, token)
  return JSON.stringify(event)
}
