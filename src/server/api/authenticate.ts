import type { FastifyRequest } from 'fastify'
import { hashKey } from '../../accounts/keys/secret.ts'
import { ApiError } from '../../contract/errors.ts'
import { keyProblem } from '../../storage/api-keys.ts'
import type { CountedRequest, Database, KeyCaller, RateLimit } from '../../storage/database.ts'
import { clientAddress } from './client-address.ts'
import type { KeyUsage } from './key-usage.ts'
import { requireValidHeaders } from './request-headers.ts'
import { refusalOf, unauthorized } from './respond.ts'

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number
    /** Undefined until the request is counted. */
    counted: CountedRequest | undefined
  }
}

export const INVALID_KEY = 'The API key is not valid'
export const READ_ONLY_KEY = 'The API key is read-only; use a key with full access'

interface Dependencies {
  readonly database: Database
  readonly rateLimit: RateLimit
  readonly keyUsage: KeyUsage
}

/** Finds the API key and counts the request against its rate limit. Throws 429 or 401. */
export async function authenticate(dependencies: Dependencies, request: FastifyRequest): Promise<void> {
  request.startedAt = performance.now()
  const credentials = credentialsOf(request)
  const address = clientAddress(request)
  const { caller } = await count(dependencies, request, credentials, address)
  const { keyId } = caller ?? (await refuse(dependencies.database, credentials))
  dependencies.keyUsage.record(keyId, address)
  requireValidHeaders(request.raw)
}

/** For what needs no key: counts the request by its key if that is valid, and by its address otherwise. Throws 429. */
export async function countOpenRequest(dependencies: Dependencies, request: FastifyRequest): Promise<void> {
  request.startedAt = performance.now()
  await count(dependencies, request, credentialsOf(request), clientAddress(request))
}

async function count(
  { database, rateLimit }: Dependencies,
  request: FastifyRequest,
  credentials: Credentials,
  address: string,
): Promise<CountedRequest> {
  const keyHash = 'keyHash' in credentials ? credentials.keyHash : undefined
  const counted = await database.rateLimiter.countRequest(keyHash, address)
  request.counted = counted
  const refusal = refusalOf(rateLimit, counted)
  if (refusal !== undefined) throw refusal
  return counted
}

export function requireWriteAccess(request: FastifyRequest): void {
  if (request.counted?.caller?.access !== 'full') throw new ApiError('forbidden', READ_ONLY_KEY)
}

const keyProblems = {
  revoked: 'The API key has been revoked',
  disabled: 'The API key is disabled',
  expired: 'The API key has expired',
  unknown: INVALID_KEY,
} as const

/** A key is found by the hash of the whole secret, so only somebody who knows the secret learns what has become of the key. */
async function refuse(database: Database, credentials: Credentials): Promise<KeyCaller> {
  if ('problem' in credentials) throw unauthorized(credentials.problem)
  throw unauthorized(keyProblems[await database.read(keyProblem(credentials.keyHash))])
}

/** The SHA-256 of the request's API key, or the reason why there is none. */
type Credentials = { readonly keyHash: string } | { readonly problem: string }

function credentialsOf({ headers }: FastifyRequest): Credentials {
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
