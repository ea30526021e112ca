import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { parseStored } from '../../lib/json.ts'
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

/** A URL is secret too: anyone who knows it can post to it, and its path often has a token. */
export function sealUrl(sealer: Sealer, orgId: string, endpointId: string, url: string): string {
  return sealer.seal(url, urlContextOf(orgId, endpointId))
}

export function openUrl(sealer: Sealer, orgId: string, endpointId: string, sealed: string): string {
  return sealer.open(sealed, urlContextOf(orgId, endpointId))
}

function urlContextOf(orgId: string, endpointId: string): string {
  return `webhook url ${orgId} ${endpointId}`
}

interface EarlierSecret {
  /** Sealed. */
  readonly secret: string
  readonly expiresAt: number
}

interface StoredSecrets {
  readonly previous_secret: string | null
  readonly previous_secret_expires_at: number | null
  readonly older_secrets: string
}

/** The secrets before the present one that are still valid, newest first. */
export function earlierSecrets(stored: StoredSecrets, now: number): readonly EarlierSecret[] {
  const { previous_secret: secret, previous_secret_expires_at: expiresAt, older_secrets: older } = stored
  const previous = secret === null || expiresAt === null ? [] : [{ secret, expiresAt }]
  return [...previous, ...(parseStored(older) as EarlierSecret[])].filter((one) => one.expiresAt > now)
}
