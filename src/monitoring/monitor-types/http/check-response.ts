import type { Sample } from '../../../contract/probe.ts'
import { isReason, reason } from '../../../reasons/reason.ts'
import { applyAssertions, needsBody } from '../assertions/apply.ts'
import { type Attempt, type Failure, makeAttempt, msSince } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'
import { userInformation } from '../echoed-secrets/collect.ts'
import { BodyStart, observePage } from './observe-page.ts'
import { readExcerpt, readText } from './read-body.ts'
import { firstRequest, type HttpRequest, type HttpTarget, redirectedRequest } from './request.ts'
import type { HttpResponse } from './response.ts'
import { sendAuthorized, sendOnce } from './send-authorized.ts'
import { unexpectedStatus } from './unexpected-status.ts'
import { judgeUpgrade } from './websocket.ts'

const MAX_REDIRECTS = 10

/**
 * Checks the body of a response with an expected status; null when it is good. `text` is the body if it has been read already.
 * Otherwise `start` takes what is read of it, if that is always the same of the same body.
 */
export type InspectBody = (
  response: HttpResponse,
  signal: AbortSignal,
  text: string | undefined,
  start: BodyStart,
) => Promise<Failure | null>

/** What is the same for all requests of an attempt. */
interface Check {
  readonly target: HttpTarget
  readonly tools: NetworkTools
  readonly attempt: Attempt
  readonly inspect: InspectBody
  /** The statuses of the redirects that were followed. */
  readonly redirects: number[]
}

/** What HTTP and KEYWORD probes share: request, redirects and status. `inspect` checks the body. */
export function checkResponse(
  target: HttpTarget,
  tools: NetworkTools,
  signal: AbortSignal,
  inspect: InspectBody,
): Promise<Sample> {
  return makeAttempt(target, signal, (attempt) => followRedirects({ target, tools, attempt, inspect, redirects: [] }))
}

async function followRedirects(check: Check): Promise<Failure | null> {
  const { target, attempt, redirects } = check
  const maxRedirects = target.request?.maxRedirects ?? MAX_REDIRECTS
  let request = firstRequest(target)
  while (redirects.length <= maxRedirects) {
    if (isReason(request)) return { code: 'CONNECT', kind: 'content', error: request }
    const next = await exchange(request, check)
    if (next === null || 'kind' in next) return next
    request = next
    if (next.url.username !== '') attempt.secrets.add(...userInformation(next.url.href))
    // The next hop starts without the timings, address and status of this one.
    const { certificate, details, statusCode = 0 } = attempt.observed
    redirects.push(statusCode)
    attempt.observed = { ...(certificate && { certificate }), ...(details && { details }) }
  }
  return {
    code: 'STATUS',
    kind: 'content',
    error: reason('too_many_redirects', { count: maxRedirects }),
  }
}

/** One request on one connection. Returns the request that a redirect points to, a failure, or null when all is well. */
async function exchange(request: HttpRequest, check: Check): Promise<HttpRequest | Failure | null> {
  const { target, tools, attempt } = check
  const auth = request.options?.auth
  const sent =
    auth === undefined
      ? await sendOnce(request, target.verifySsl, tools, attempt)
      : await sendAuthorized(request, auth, target.verifySsl, tools, attempt)
  if ('code' in sent) return sent
  const { connection, response } = sent
  try {
    attempt.observed.statusCode = response.status
    if (target.followRedirects && target.request?.maxRedirects !== 0) {
      const next = redirectedRequest(request, response.status, response.headers.location)
      if (next !== null && isReason(next)) return { code: 'STATUS', kind: 'content', error: next }
      if (next !== null) return next
    }
    if (request.webSocketKey !== undefined) {
      const { status, headers } = response
      const failure = judgeUpgrade(sent, request.webSocketKey)
      return failure ?? (await applyAssertions(target.assertions, attempt, { status, headers }))
    }
    attempt.stage = 'body'
    const startedAt = performance.now()
    try {
      return await judge(response, request, check)
    } finally {
      connection.timings.downloadMs = msSince(startedAt)
    }
  } finally {
    connection[Symbol.dispose]()
  }
}

async function judge(response: HttpResponse, request: HttpRequest, check: Check): Promise<Failure | null> {
  const { target, attempt, inspect, redirects } = check
  const { status, headers } = response
  if (!target.expectedStatus.includes(status)) {
    const excerpt = await readExcerpt(response, attempt.signal)
    observePage(attempt, request, response, redirects, excerpt, true)
    const cause = unexpectedStatus(status, target.expectedStatus)
    // Explains, for example, a 401 of a server that was not sent the monitor's API key.
    const error = request.isStripped ? reason('stripped', { cause }) : cause
    return { code: 'STATUS', kind: 'content', error, excerpt }
  }
  const { assertions } = target
  // After 101 the connection uses another protocol: there is no body.
  if (status === 101) return applyAssertions(assertions, attempt, { status, headers })
  const body = needsBody(target) ? await readText(response, attempt.signal) : undefined
  const start = new BodyStart()
  const failure =
    (await inspect(response, attempt.signal, body?.text, start)) ??
    (await applyAssertions(assertions, attempt, { status, headers, ...(body && { body }) }))
  const seen = body?.text ?? (start.bytes > 0 ? start : undefined)
  observePage(attempt, request, response, redirects, seen, failure !== null)
  return failure
}
