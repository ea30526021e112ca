import { hash, randomBytes } from 'node:crypto'

export const KEY_PREFIX = 'phr_'

/** A new key: shown once, never stored. */
export function newKey(): string {
  return KEY_PREFIX + randomBytes(32).toString('base64url')
}

/** Keys are 256 random bits, so a plain hash is as good as a slow one. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** Lets people tell their keys apart without giving one away. */
export function hintOf(key: string): string {
  return key.slice(-4)
}

/** What an operator may choose as the first key. */
export const bootstrapKeyPattern = /^phr_[A-Za-z0-9_-]{20,200}$/
