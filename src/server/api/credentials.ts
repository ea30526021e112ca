import type { IncomingMessage } from 'node:http'
import { hashKey } from '../../accounts/keys/secret.ts'

/** The SHA-256 of the request's API key, or the reason why there is none. */
export type Credentials = { readonly keyHash: string } | { readonly problem: string }

export function credentialsOf({ headers }: Pick<IncomingMessage, 'headers'>): Credentials {
  const apiKey = headers['x-api-key']
  const { authorization } = headers
  if (apiKey !== undefined && authorization !== undefined) {
    return { problem: 'Send the API key as X-API-Key or as Authorization: Bearer, not as both' }
  }
  if (apiKey !== undefined) return keyHashOf(apiKey)
  if (authorization === undefined) {
    return { problem: 'An API key is required: send it as X-API-Key or as Authorization: Bearer' }
  }
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  return token === undefined ? { problem: 'The Authorization header must read "Bearer <API key>"' } : keyHashOf(token)
}

function keyHashOf(key: string | string[]): Credentials {
  if (typeof key !== 'string' || key === '') return { problem: 'The API key is empty' }
  return { keyHash: hashKey(key) }
}
