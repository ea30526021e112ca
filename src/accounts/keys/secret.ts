import { hash, randomBytes } from 'node:crypto'

const KEY_PREFIX = 'phr_'

/** Shown once, never stored. */
export function newKey(): string {
  return KEY_PREFIX + randomBytes(32).toString('base64url')
}

/** A fast hash suffices: keys are 256 random bits and cannot be guessed. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** The last four characters, to tell keys apart. */
export function hintOf(key: string): string {
  return key.slice(-4)
}

/** The form of an operator-chosen first key. */
export const bootstrapKeyPattern = /^phr_[A-Za-z0-9_-]{20,200}$/
