import type { Stop } from '../../../outbound/stop.ts'
import type { Sample, Target } from '../probe.ts'
import { type Failure, failed, type NetworkTools, startVisit, stopped, succeeded, type Visit } from '../tools.ts'
import { readExcerpt } from './body.ts'
import { type Answer, openHop, send } from './exchange.ts'
import { firstRequest, type HttpRequest, redirected } from './request.ts'
import { describeStatuses } from './status.ts'

const MAX_REDIRECTS = 10

/** Looks into the body of an answer with an expected status: null when all is well. */
export type Inspect = (answer: Answer, signal: Stop) => Promise<Failure | null>

/** The exchange that HTTP and KEYWORD share: request, redirects, status; `inspect` decides about the body. */
export async function visitHttp(target: Target, tools: NetworkTools, signal: Stop, inspect: Inspect): Promise<Sample> {
  // `finally` where other probes write `using`: this is the path that runs most, and `using` is not yet compiled well.
  const visit = startVisit(target.timeoutMs, signal)
  try {
    const failure = await follow(target, tools, visit, inspect)
    return failure === null ? succeeded(visit) : failed(visit, failure)
  } catch (error) {
    return stopped(visit, error)
  } finally {
    visit[Symbol.dispose]()
  }
}

async function follow(target: Target, tools: NetworkTools, visit: Visit, inspect: Inspect): Promise<Failure | null> {
  let request = firstRequest(target)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (typeof request === 'string') return { code: 'CONNECT', kind: 'content', error: request }
    const step = await takeStep(request, target, tools, visit, inspect)
    if (step === null || 'code' in step) return step
    request = step
    // What the next hop does not get to see must not look like its own.
    visit.seen = visit.seen.certificate ? { certificate: visit.seen.certificate } : {}
  }
  return { code: 'STATUS', kind: 'content', error: `The target redirected more than ${MAX_REDIRECTS} times` }
}

/** One request on one connection: leads on to the next request, or ends with a verdict. */
async function takeStep(request: HttpRequest, target: Target, tools: NetworkTools, visit: Visit, inspect: Inspect) {
  const hop = await openHop(request.url, target.verifySsl, tools, visit)
  try {
    visit.stage = 'answer'
    const answer = await send(request, hop, visit.signal)
    visit.seen.statusCode = answer.status
    if (target.followRedirects) {
      const next = redirected(request, answer.status, answer.headers.location)
      if (typeof next === 'string') return { code: 'STATUS', kind: 'content', error: next } as const
      if (next !== null) return next
    }
    visit.stage = 'body'
    return await judge(answer, target, visit, inspect)
  } finally {
    hop[Symbol.dispose]()
  }
}

async function judge(answer: Answer, target: Target, visit: Visit, inspect: Inspect): Promise<Failure | null> {
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
