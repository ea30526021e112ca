import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type Fault, faultFor, invalid, joinPath } from '../../contract/errors.ts'
import { DEFAULT_BODY_BYTES, type Installation, type Operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { Upload } from '../../contract/upload.ts'
import { type Validator, validator } from '../../contract/validate.ts'
import { reason } from '../../reasons/reason.ts'
import { clientAddress } from './client-address.ts'
import { type BodyOutcome, parseBody, receiveBody } from './request-body.ts'
import { uploadOf } from './upload-body.ts'

export interface OperationInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** Of a document: identifies the content of the body. */
  readonly digest?: string | undefined
}

/** How much of a document the sender may send, and when it is parsed. */
export interface DocumentTurn {
  readonly maxBytes: number
  /** Waits until the document may be parsed. */
  readonly start: () => Promise<void>
  /** With whom it takes turns. */
  readonly key: string
}

/** Returns a function that reads and validates an operation's path, query and body, and reports all their faults together. */
export function inputReader(operation: Operation, installation: Installation, timeoutMs: number) {
  const { params, query, body, method, refine, bodyLimitBytes: maxBytes = DEFAULT_BODY_BYTES } = operation
  const { document } = operation
  const validateParams = params && validator(params, 'path')
  const validateQuery = query && validator(query, 'query')
  const validateBody = validator(body ?? Empty, 'body', refine && ((content) => refine(content, installation)))
  // An operation that declares no body accepts none or {}.
  const bodyRequired = body !== undefined && operation.bodyRequired !== false

  async function readBody(request: FastifyRequest, turn: DocumentTurn | undefined): Promise<BodyOutcome> {
    const rules = { timeoutMs, maxBytes: turn?.maxBytes ?? maxBytes, document }
    const received = await receiveBody(request, rules)
    if (received.kind !== 'received') return received
    await turn?.start()
    return parseBody(received, rules, installation.foreign, turn?.key ?? clientAddress(request))
  }

  return async (request: FastifyRequest, turn?: DocumentTurn): Promise<OperationInput> => {
    const faults: Fault[] = []
    const validate = (by: Validator<unknown> | undefined, value: unknown): unknown => {
      if (by === undefined) return undefined
      const verdict = by(value)
      if ('value' in verdict) return verdict.value
      faults.push(...verdict.faults)
      return undefined
    }
    const path = validate(validateParams, request.params)
    const { typed, repeated, unknown } = typedQuery(query, request.query as Record<string, unknown>)
    const filters = validate(validateQuery, typed)
    for (const name of repeated) faults.push({ path: name, message: REPEATED })
    if (operation.extension === true) {
      for (const name of unknown) faults.push({ path: joinPath('', name) || 'query', message: UNKNOWN })
    }
    let content: unknown
    let digest: string | undefined
    if (operation.isUpload === true) {
      content = uploadOf(request.raw, timeoutMs)
      if (!(content instanceof Upload)) faults.push(content as Fault)
    } else if (method !== 'GET') {
      const received = await readBody(request, turn)
      if (received.kind === 'json') {
        content = validate(validateBody, received.value)
        digest = received.digest
      } else {
        content = {}
        if (received.kind === 'faulty') faults.push(...received.faults)
        else if (bodyRequired) faults.push(faultFor('body', reason('required')))
        // The unread rest of the body would be parsed as the next request.
        if (received.kind === 'faulty' && received.unread) throw invalid(faults, { connection: 'close' })
      }
    }
    if (faults.length > 0) throw invalid(faults)
    return { params: path, query: filters, body: content, digest }
  }
}

interface ParameterSchema {
  readonly type?: string
}

const REPEATED = 'must be given once'
const UNKNOWN = 'is not a known query parameter'

interface TypedQuery {
  readonly typed: Record<string, unknown>
  /** Names of declared parameters that were sent more than once. */
  readonly repeated: readonly string[]
  /** Names that are not declared. The contract ignores them; extensions refuse them. */
  readonly unknown: readonly string[]
}

/** Converts query text to numbers and booleans where the schema declares them. */
function typedQuery(schema: TSchema | undefined, query: Record<string, unknown>): TypedQuery {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, ParameterSchema> }
  const typed: Record<string, unknown> = {}
  const repeated: string[] = []
  for (const name of Object.keys(properties)) {
    const value = query[name]
    if (Array.isArray(value)) repeated.push(name)
    else if (value !== undefined) typed[name] = typedValue(properties[name]?.type, value)
  }
  return { typed, repeated, unknown: Object.keys(query).filter((name) => !Object.hasOwn(properties, name)) }
}

function typedValue(type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
