import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { hashKey } from '../../accounts/keys/secret.ts'

/** The SHA-256 of the request's API key, or the reason why there is none. */
export type Credentials = { readonly keyHash: string } | { readonly problem: string }

export function credentialsOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Credentials {
  const apiKey = headers['x-api-key']
  const { authorization } = headers
  if (apiKey !== undefined && authorization !== undefined) {
    return { problem: 'Send the API key as X-API-Key or as Authorization: Bearer, not as both' }
  }
  if (apiKey !== undefined) return keyHashOf(apiKey, socket)
  if (authorization === undefined) {
    return { problem: 'An API key is required: send it as X-API-Key or as Authorization: Bearer' }
  }
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  return token === undefined
    ? { problem: 'The Authorization header must read "Bearer <API key>"' }
    : keyHashOf(token, socket)
}

/** The last key of each connection. Most connections repeat it, and hashing takes 5 % of the CPU time of a `GET`. */
const lastKeys = new WeakMap<Socket, { readonly key: string; readonly keyHash: string }>()

function keyHashOf(key: string | string[], socket: Socket): Credentials {
  if (typeof key !== 'string' || key === '') return { problem: 'The API key is empty' }
  const last = lastKeys.get(socket)
  if (last?.key === key) return last
  const hashed = { key, keyHash: hashKey(key) }
  lastKeys.set(socket, hashed)
  return hashed
}
