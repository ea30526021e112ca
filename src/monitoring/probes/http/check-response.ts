import type { ProbeTarget, Sample } from '../../../contract/probe.ts'
import {
  type Attempt,
  type Failure,
  failureOf,
  type NetworkTools,
  sampleOfError,
  startAttempt,
  successOf,
} from '../attempt.ts'
import { type HttpResponse, openConnection, sendRequest } from './connection.ts'
import { describeStatuses } from './describe-statuses.ts'
import { readExcerpt } from './read-body.ts'
import { firstRequest, type HttpRequest, redirectedRequest } from './request.ts'

const MAX_REDIRECTS = 10

/** Looks into the body of an answer with an expected status: null when all is well. */
export type InspectBody = (answer: HttpResponse, signal: AbortSignal) => Promise<Failure | null>

/** The exchange that HTTP and KEYWORD share: request, redirects, status; `inspect` decides about the body. */
export async function checkResponse(
  target: ProbeTarget,
  tools: NetworkTools,
  signal: AbortSignal,
  inspect: InspectBody,
): Promise<Sample> {
  // `finally` where other probes write `using`: this is the path that runs most, and `using` is not yet compiled well.
  const visit = startAttempt(target.timeoutMs, signal)
  try {
    const failure = await follow(target, tools, visit, inspect)
    return failure === null ? successOf(visit) : failureOf(visit, failure)
  } catch (error) {
    return sampleOfError(visit, error)
  } finally {
    visit[Symbol.dispose]()
  }
}

async function follow(
  target: ProbeTarget,
  tools: NetworkTools,
  visit: Attempt,
  inspect: InspectBody,
): Promise<Failure | null> {
  let request = firstRequest(target)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (typeof request === 'string') return { code: 'CONNECT', kind: 'content', error: request }
    const step = await takeStep(request, target, tools, visit, inspect)
    if (step === null || 'code' in step) return step
    request = step
    // What the next hop does not get to see must not look like its own.
    visit.observed = visit.observed.certificate ? { certificate: visit.observed.certificate } : {}
  }
  return { code: 'STATUS', kind: 'content', error: `The target redirected more than ${MAX_REDIRECTS} times` }
}

/** One request on one connection: leads on to the next request, or ends with a verdict. */
async function takeStep(
  request: HttpRequest,
  target: ProbeTarget,
  tools: NetworkTools,
  visit: Attempt,
  inspect: InspectBody,
) {
  const hop = await openConnection(request.url, target.verifySsl, tools, visit)
  try {
    visit.stage = 'answer'
    const answer = await sendRequest(request, hop, visit.signal)
    visit.observed.statusCode = answer.status
    if (target.followRedirects) {
      const next = redirectedRequest(request, answer.status, answer.headers.location)
      if (typeof next === 'string') return { code: 'STATUS', kind: 'content', error: next } as const
      if (next !== null) return next
    }
    visit.stage = 'body'
    return await judge(answer, target, visit, inspect)
  } finally {
    hop[Symbol.dispose]()
  }
}

async function judge(
  answer: HttpResponse,
  target: ProbeTarget,
  visit: Attempt,
  inspect: InspectBody,
): Promise<Failure | null> {
  if (target.expectedStatus.includes(answer.status)) {
    // After 101 the connection speaks another protocol: there is no body to read.
    return answer.status === 101 ? null : inspect(answer, visit.signal)
  }
  return {
    code: 'STATUS',
    kind: 'content',
    error: `Expected ${describeStatuses(target.expectedStatus)}, got ${answer.status}`,
    excerpt: await readExcerpt(answer, visit.signal),
  }
}
