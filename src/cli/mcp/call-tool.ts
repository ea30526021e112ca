import { type Pharos, PharosError, type RawResponse } from '../../../clients/typescript/src/index.ts'
import { resources } from '../../../clients/typescript/src/resources.ts'
import { inconclusiveReason } from '../api/describe-change.ts'
import { requestOf } from './input-schema.ts'
import { isObject } from './json-rpc.ts'
import { INCONCLUSIVE, type OperationTool } from './tools.ts'

/** Clients of the protocol give up after 60 s by default; an error that says when to try again is better. */
const MAX_RETRY_MS = 20_000

interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  /** The same as the text. Assistants read one of them. */
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
}

type HttpMethod = Parameters<Pharos['send']>[0]

/** Calls the operation of a tool. Whatever the API refuses is an error of the tool, so that the assistant can read it and react. */
export async function callTool(
  pharos: Pharos,
  { operation, input: described }: OperationTool,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const request = requestOf(operation, described(), given)
  if ('problem' in request) return failure(request.problem)
  const timeoutMs = timeoutOf(operation)
  try {
    let inconclusive: string | undefined
    const onResponse = ({ headers }: RawResponse) => {
      inconclusive = inconclusiveReason(headers)
    }
    const options = { signal, maxRetryMs: MAX_RETRY_MS, onResponse, ...(timeoutMs !== undefined && { timeoutMs }) }
    const { fields, ...input } = request
    const answer = await pharos.send(operation.method as HttpMethod, operation.path, input, options)
    return success(
      inconclusive === undefined ? answer : { ...(answer as object), [INCONCLUSIVE]: inconclusive },
      fields,
    )
  } catch (error) {
    if (!(error instanceof PharosError)) throw error
    return refusal(error)
  }
}

/** Some operations take longer than others. */
function timeoutOf({ method, path }: OperationTool['operation']): number | undefined {
  const endpoints: readonly { method: string; path: string; timeoutMs?: number }[] = Object.values(resources).flatMap(
    (methods) => Object.values(methods),
  )
  return endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path)?.timeoutMs
}

/** Assistants keep answers in their context: without fields that have no value, and with the wanted fields of the items of a list. */
function success(answer: unknown, fields: readonly string[] | undefined): ToolResult {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] }
  const text = JSON.stringify(chosen(answer, fields), withoutNull)
  const structured: unknown = JSON.parse(text)
  return { content: [{ type: 'text', text }], ...(isObject(structured) && { structuredContent: structured }) }
}

function chosen(answer: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return answer
  const { data, ...rest } = answer as { data: readonly object[] }
  const isWanted = ([name]: [string, unknown]) => fields.includes(name)
  return { data: data.map((item) => Object.fromEntries(Object.entries(item).filter(isWanted))), ...rest }
}

/** In lists null stays: it has a position. */
function withoutNull(this: unknown, _key: string, value: unknown): unknown {
  return value === null && !Array.isArray(this) ? undefined : value
}

function refusal({ code, message, details, requestId, retryAfter }: PharosError): ToolResult {
  const faults = details.length > 1 ? details.map((fault) => `\n- ${fault.path} ${fault.message}`).join('') : ''
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  const wait = retryAfter === undefined ? '' : `. Try again in ${retryAfter} s`
  return failure(`${code}: ${message}${wait}${id}${faults}`)
}

function failure(text: string): ToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
