import { type Pharos, PharosError } from '../../../clients/typescript/src/index.ts'
import { resources } from '../../../clients/typescript/src/resources.ts'
import { requestOf } from './input-schema.ts'
import type { OperationTool } from './tools.ts'

/** Clients of the protocol give up after 60 s by default; an error that says when to try again is better. */
const MAX_RETRY_MS = 20_000

interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
}

type HttpMethod = Parameters<Pharos['send']>[0]

/** Calls the operation of a tool. Whatever the API refuses is an error of the tool, so that the assistant can read it and react. */
export async function callTool(
  pharos: Pharos,
  { operation, input }: OperationTool,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const request = requestOf(operation, input(), given)
  if ('problem' in request) return failure(request.problem)
  const timeoutMs = timeoutOf(operation)
  try {
    const options = { signal, maxRetryMs: MAX_RETRY_MS, ...(timeoutMs !== undefined && { timeoutMs }) }
    return success(await pharos.send(operation.method as HttpMethod, operation.path, request, options))
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

function success(answer: unknown): ToolResult {
  if (typeof answer !== 'object' || answer === null) return { content: [{ type: 'text', text: String(answer) }] }
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer as Record<string, unknown>,
  }
}

function refusal({ code, message, details, requestId, retryAfter }: PharosError): ToolResult {
  const faults = details.length > 1 ? details.map((fault) => `\n- ${fault.path} ${fault.message}`).join('') : ''
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  return {
    ...failure(`${code}: ${message}${id}${faults}`),
    structuredContent: {
      error: {
        code,
        message,
        ...(requestId !== undefined && { requestId }),
        details,
        ...(retryAfter && { retryAfter }),
      },
    },
  }
}

function failure(text: string): ToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
