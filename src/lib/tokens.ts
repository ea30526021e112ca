import { hash, randomBytes } from 'node:crypto'

/** 256 random bits as they stand in a cookie or a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: it cannot be guessed, so a plain hash is as good as a slow one. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}
