import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { CountedRequest, Database, KeyCaller, RateLimit } from '../../storage/database.ts'
import { clientAddress } from './client-address.ts'
import { credentialsOf } from './credentials.ts'
import type { KeyUsage } from './key-usage.ts'
import { requireValidHeaders } from './request-headers.ts'
import { isOverQuota, rateLimited, unauthorized } from './respond.ts'

declare module 'fastify' {
  interface FastifyRequest {
    startedAt: number
    /** Undefined until the request is counted. */
    counted: CountedRequest | undefined
  }
}

export const INVALID_KEY = 'The API key is not valid'
export const READ_ONLY_KEY = 'The API key is read-only'

interface Dependencies {
  readonly database: Database
  readonly rateLimit: RateLimit
  readonly keyUsage: KeyUsage
}

/** Finds the API key and counts the request against its rate limit. Throws 429 or 401. */
export async function authenticate(
  { database, rateLimit, keyUsage }: Dependencies,
  request: FastifyRequest,
): Promise<void> {
  request.startedAt = performance.now()
  const credentials = credentialsOf(request.headers)
  const keyHash = 'keyHash' in credentials ? credentials.keyHash : undefined
  const address = clientAddress(request)
  const counted = await database.rateLimiter.countRequest(keyHash, address)
  request.counted = counted
  if (isOverQuota(rateLimit, counted)) throw rateLimited(counted)
  keyUsage.record(callerOf(counted, credentials).keyId, address)
  requireValidHeaders(request.raw)
}

export function requireWriteAccess(request: FastifyRequest): void {
  if (request.counted?.caller?.access !== 'full') throw new ApiError('forbidden', READ_ONLY_KEY)
}

function callerOf(counted: CountedRequest, credentials: ReturnType<typeof credentialsOf>): KeyCaller {
  if (counted.caller !== undefined) return counted.caller
  throw unauthorized('problem' in credentials ? credentials.problem : INVALID_KEY)
}
