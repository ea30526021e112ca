import { OutboundError } from '../outbound/errors.ts'
import { fetchResponse } from '../outbound/fetch-response.ts'
import type { Guard } from '../outbound/guard.ts'
import { type ToolClient, UnexpectedAnswer } from './tools/tool.ts'
import type { TheirMonitor } from './verdicts.ts'

/** Uptime Kuma writes about 2 KB per monitor. */
const MAX_BYTES = 16 * 1024 * 1024
/** For all pages together; below the lease of the run. */
const TIMEOUT_MS = 25_000
const MAX_PAGES = 100

export type Verdicts = { readonly monitors: readonly TheirMonitor[] } | { readonly error: string }

interface Question {
  readonly tool: ToolClient
  readonly url: string
  readonly key: string | null
}

/** Asks the other tool for its verdicts. Throws only if the signal aborts. */
export async function askTool({ tool, url, key }: Question, guard: Guard, stopping: AbortSignal): Promise<Verdicts> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)])
  const monitors: TheirMonitor[] = []
  try {
    for (let page: number | undefined = 0; page !== undefined && page < MAX_PAGES; ) {
      const request = tool.request(url, key, page)
      const options = { guard, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal }
      const { status, body } = await fetchResponse(request, options)
      if (status !== 200) return { error: describeStatus(status, tool.name, key) }
      const { monitors: some, nextPage } = tool.read(body.toString('utf8'), page)
      monitors.push(...some)
      page = nextPage
    }
    return { monitors }
  } catch (error) {
    if (stopping.aborted) throw error
    if (error instanceof UnexpectedAnswer || error instanceof OutboundError) return { error: error.message }
    if (signal.aborted) return { error: `${tool.name} did not answer within ${TIMEOUT_MS / 1000} s.` }
    throw error
  }
}

function describeStatus(status: number, name: string, key: string | null): string {
  if (status === 401 || status === 403)
    return key === null ? `${name} asks for a key.` : `${name} does not accept the key.`
  if (status === 404) return `${name} is not at this address (HTTP 404).`
  if (status >= 300 && status < 400)
    return `The address redirects (HTTP ${status}). Use the address that it redirects to.`
  return `${name} answered with HTTP ${status}.`
}
