import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Operation } from '../../contract/operation.ts'
import type { Log } from '../../lib/log.ts'
import { yamlOfJson } from '../../lib/write-yaml.ts'
import type { CountedRequest, KeyCaller, RateLimit } from '../../storage/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { authenticate, requireWriteAccess } from './authenticate.ts'
import { deprecationHeaders } from './deprecation.ts'
import { inDocumentTurn } from './document-turn.ts'
import { fail } from './fail.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { type DocumentTurn, inputReader } from './input.ts'
import type { KeyUsage } from './key-usage.ts'
import { apiHeaders, JSON_TYPE, sendText } from './respond.ts'
import { type OperationResult, type OperationRunner, runOperation } from './run-operation.ts'
import { sendCompressed, sendList } from './send-compressed.ts'
import { type ServedOperation, serveOperations } from './serve-operations.ts'

export const API_PREFIX = '/api/v1'

export interface ApiOptions extends OperationRunner {
  readonly operations: readonly Operation[]
  readonly rateLimit: RateLimit
  readonly bodyTimeoutMs: number
  readonly keyUsage: KeyUsage
  readonly metrics: Metrics
  readonly log: Log
  /** Called after each successful change: something may be due now. */
  readonly onChange: (orgId: string) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotencyKey: string | undefined
  }
}

/**
 * The public API. Requests are checked in the order of the contract: request id, credentials and rate limit (also for unknown
 * paths), path and method, access level, Idempotency-Key, input, then the operation.
 */
export async function apiRoutes(api: FastifyInstance, options: ApiOptions): Promise<void> {
  api.decorateRequest('startedAt', 0)
  api.decorateRequest('counted', undefined)
  api.decorateRequest('idempotencyKey', undefined)
  api.setErrorHandler((error, request, reply) => fail(options, error, request, reply))
  const served = options.operations.map((operation) => serve(api, operation, options))
  serveOperations(api, API_PREFIX, served, (request) => authenticate(options, request))
}

/** What the contract checks before the input of a request that changes something. */
function checkChange(request: FastifyRequest): void {
  if (request.served?.operation.readOnlyKeys !== true) requireWriteAccess(request)
  request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'])
}

function acceptsYaml(accept: string | undefined): boolean {
  return accept !== undefined && /(^|[\s,])(application|text)\/(x-)?yaml\b/i.test(accept)
}

function serve(api: FastifyInstance, operation: Operation, options: ApiOptions): ServedOperation {
  const { clock, installation, metrics, rateLimit } = options
  const readInput = inputReader(operation, installation, options.bodyTimeoutMs)
  const isRead = operation.access === 'read'
  const isList = isRead && (operation.query !== undefined || 'parts' in operation)
  // Built at start, so that a deprecation notice that is too short stops the start.
  const deprecation = operation.deprecated && deprecationHeaders(operation.deprecated)
  return {
    operation,
    deprecation,
    check: isRead ? () => undefined : checkChange,
    handle: async (request, reply) => {
      const counted = request.counted as CountedRequest
      const caller = counted.caller as KeyCaller
      const run = async (turn?: DocumentTurn): Promise<OperationResult> => {
        const input = await readInput(request, turn)
        if (isList) {
          const { limit } = (input.query ?? {}) as { readonly limit?: number }
          await api.listTurns.enter(`${caller.orgId} ${operation.id}`, reply.raw, limit)
        }
        const context = { caller, requestId: request.id, now: clock.now(), installation }
        return runOperation(options, operation, context, input, request.idempotencyKey)
      }
      const result = await inDocumentTurn(options.bulkTurns, operation, caller, run)
      const headers = Object.assign(apiHeaders(rateLimit, counted, request.id), deprecation, result.headers)
      if (result.replayed) headers['idempotency-replayed'] = 'true'
      if ('parts' in operation) {
        const parts = result.text as readonly string[]
        headers['content-type'] ??= JSON_TYPE
        const isYaml = operation.answer.alsoYaml === true && acceptsYaml(request.headers.accept)
        if (isYaml) {
          headers['content-type'] = 'application/yaml; charset=utf-8'
          headers.vary = `${headers.vary}, Accept`
        }
        const sent = isYaml ? [await installation.foreign.run(yamlOfJson, parts, caller.orgId)] : parts
        await sendCompressed(reply, sent, headers, caller.orgId)
      } else if (isList) await sendList(reply, result.status, result.text, headers, caller.orgId)
      else sendText(reply, result.status, result.text, headers, caller.orgId)
      if (!isRead) options.onChange(caller.orgId)
      metrics.requestDone(operation.id, result.status, request.startedAt)
      return reply
    },
  }
}
