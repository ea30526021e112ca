import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Sealer } from '../../lib/seal.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A signing secret as it is shown to people: the prefix of Standard Webhooks and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** What signs. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}

/** A sealed secret opens for its own endpoint alone, so that nobody who can write rows can move one to another. */
export function sealSecret(sealer: Sealer, orgId: string, endpointId: string, secret: string): string {
  return sealer.seal(secret, contextOf(orgId, endpointId))
}

export function openSecret(sealer: Sealer, orgId: string, endpointId: string, sealed: string): string {
  return sealer.open(sealed, contextOf(orgId, endpointId))
}

function contextOf(orgId: string, endpointId: string): string {
  return `webhook secret ${orgId} ${endpointId}`
}
