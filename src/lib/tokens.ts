import { hash, randomBytes } from 'node:crypto'

/** 256 random bits for a cookie or a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a token. A fast hash suffices, because a token cannot be guessed. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}
