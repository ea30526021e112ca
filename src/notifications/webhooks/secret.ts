import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Sealer } from '../../lib/seal.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** In the format of Standard Webhooks: a prefix and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), 'base64')
}

/** Bound to the endpoint: a sealed secret that is copied to another row cannot be opened. */
export function sealSecret(sealer: Sealer, orgId: string, endpointId: string, secret: string): string {
  return sealer.seal(secret, contextOf(orgId, endpointId))
}

export function openSecret(sealer: Sealer, orgId: string, endpointId: string, sealed: string): string {
  return sealer.open(sealed, contextOf(orgId, endpointId))
}

function contextOf(orgId: string, endpointId: string): string {
  return `webhook secret ${orgId} ${endpointId}`
}
