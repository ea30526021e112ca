import { QueueFull } from '../lib/fair-queue.ts'
import { type ForeignWork, ForeignWorkFailed } from '../lib/foreign-work.ts'
import { untilAborted } from '../outbound/deadline.ts'
import { OutboundError } from '../outbound/errors.ts'
import { fetchResponse } from '../outbound/fetch-response.ts'
import type { Guard } from '../outbound/guard.ts'
import { type Matching, matchPages, type OurMonitor } from './match.ts'
import { type PackedMonitors, type PageOutcome, readToolPage } from './read-page.ts'
import { toolClients } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

/** For all pages together; below the lease of the run. */
const TIMEOUT_MS = 25_000

/** An error is a sentence for people. */
export type Verdicts = Matching | { readonly error: string }

interface Question {
  readonly orgId: string
  readonly tool: Tool
  readonly url: string
  readonly key: string | null
  /** The monitors that were imported from the tool. */
  readonly ours: readonly OurMonitor[]
}

interface Parts {
  readonly guard: Guard
  readonly foreign: ForeignWork
}

/** Asks the other tool for its verdicts. Throws if the signal aborts, and otherwise only because of a fault of ours. */
export async function askTool(question: Question, parts: Parts, stopping: AbortSignal): Promise<Verdicts> {
  const { orgId, tool, ours } = question
  const { name } = toolClients[tool]
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await pagesOf(question, parts, AbortSignal.any([stopping, timeout]))
    if ('error' in answer) return answer
    return await untilAborted(parts.foreign.run(matchPages, { pages: answer.pages, ours }, orgId), stopping)
  } catch (error) {
    if (stopping.aborted) throw error
    if (error instanceof OutboundError) return { error: error.message }
    if (error instanceof ForeignWorkFailed) return { error: `The answer of ${name} ${error.message}.` }
    if (error instanceof QueueFull) return { error: `Pharos was too busy to read the answer of ${name}.` }
    if (error === timeout.reason) return { error: `${name} did not answer within ${TIMEOUT_MS / 1000} s.` }
    throw error
  }
}

type Pages = { readonly pages: readonly PackedMonitors[] } | { readonly error: string }

async function pagesOf({ orgId, tool, url, key }: Question, parts: Parts, signal: AbortSignal): Promise<Pages> {
  const { guard, foreign } = parts
  const { name, request, maxBytes, maxPages } = toolClients[tool]
  const pages: PackedMonitors[] = []
  let before = 0
  for (let page: number | undefined = 0; page !== undefined && page < maxPages; ) {
    const options = { guard, maxBytes, timeoutMs: TIMEOUT_MS, signal }
    const { status, body } = await fetchResponse(request(url, key, page), options)
    if (status !== 200) return { error: describeStatus(status, name, key) }
    const reading: Promise<PageOutcome> = foreign.run(readToolPage, { tool, body, page, before }, orgId)
    const read = await untilAborted(reading, signal)
    if ('error' in read) return read
    pages.push(read.packed)
    before += read.count
    page = read.nextPage
  }
  return { pages }
}

function describeStatus(status: number, name: string, key: string | null): string {
  if (status === 401 || status === 403)
    return key === null ? `${name} asks for a key.` : `${name} does not accept the key.`
  if (status === 404) return `${name} is not at this address (HTTP 404).`
  if (status >= 300 && status < 400)
    return `The address redirects (HTTP ${status}). Use the address that it redirects to.`
  return `${name} answered with HTTP ${status}.`
}
