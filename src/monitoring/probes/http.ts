import type { NetworkTools } from './attempt.ts'
import { checkResponse } from './http/check-response.ts'
import { readBody } from './http/read-body.ts'
import type { Probe } from './probe.ts'

/** Enough to see that a page is served whole, or nearly so, without fetching films. */
const MAX_BODY_BYTES = 64 * 1024

// Bodies that are not meant to end.
const ENDLESS = /^\s*(text\/event-stream|multipart\/x-mixed-replace)\b/i

/**
 * An HTTP target is up when its final answer has an expected status and its body arrives: a page that breaks off or
 * stands still halfway is no page to the people who want it.
 */
export const probeHttp: Probe<NetworkTools> = (target, tools, signal) =>
  checkResponse(target, tools, signal, async (answer, visitSignal) => {
    if (ENDLESS.test(answer.headers['content-type'] ?? '')) return null
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      return bytes < MAX_BODY_BYTES
    }
    await readBody(answer, count, visitSignal, 'as sent')
    return null
  })
