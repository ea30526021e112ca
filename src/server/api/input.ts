import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type Fault, invalid } from '../../contract/errors.ts'
import type { Installation, Operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { type Validator, validator } from '../../contract/validate.ts'
import type { Soon } from '../../lib/soon.ts'
import { type BodyRules, readBody } from './request-body.ts'

export interface OperationInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Makes the reader of an operation's input: path, query and body are judged together, and every fault is told. */
export function inputReader(operation: Operation, installation: Installation, rules: BodyRules) {
  const { params, query, body, method, refine } = operation
  const judgeParams = params && validator(params, 'path')
  const judgeQuery = query && validator(query, 'query')
  const judgeBody = validator(body ?? Empty, 'body', refine && ((content) => refine(content, installation)))
  // An operation that declares no body takes none or {}.
  const bodyRequired = body !== undefined && operation.bodyRequired !== false

  return (request: FastifyRequest): Soon<OperationInput> => {
    const faults: Fault[] = []
    const judge = (by: Validator<unknown> | undefined, value: unknown): unknown => {
      if (by === undefined) return undefined
      const verdict = by(value)
      if ('value' in verdict) return verdict.value
      faults.push(...verdict.faults)
      return undefined
    }
    const path = judge(judgeParams, request.params)
    const filters = judge(judgeQuery, query && typedQuery(query, request.query as Record<string, unknown>))
    const finish = (content: unknown): OperationInput => {
      if (faults.length > 0) throw invalid(faults)
      return { params: path, query: filters, body: content }
    }
    if (method === 'GET') return finish(undefined)
    return readBody(request.raw, rules).then((arrived) => {
      if (arrived.kind === 'json') return finish(judge(judgeBody, arrived.value))
      if (arrived.kind === 'faulty') faults.push(...arrived.faults)
      else if (bodyRequired) faults.push({ path: 'body', message: 'is required' })
      // What is left of the body would be taken for the next request.
      if (arrived.kind === 'faulty' && arrived.spoiled) throw invalid(faults, { connection: 'close' })
      return finish({})
    })
  }
}

interface ParameterSchema {
  readonly type?: string
}

/** Query values are text; those that are declared as numbers or booleans and look like it become it. */
function typedQuery(schema: TSchema, query: Record<string, unknown>): Record<string, unknown> {
  const { properties } = schema as unknown as { properties: Record<string, ParameterSchema> }
  const typed: Record<string, unknown> = {}
  // Parameters that are not declared are ignored.
  for (const name of Object.keys(properties)) {
    const value = query[name]
    if (value !== undefined) typed[name] = typedValue(properties[name]?.type, value)
  }
  return typed
}

function typedValue(type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
