import type { NetworkTools, Probe } from '../definition.ts'
import { checkResponse } from './check-response.ts'
import { checkGrpcHealth } from './grpc-health.ts'
import { readBody } from './read-body.ts'
import type { HttpTarget } from './request.ts'

/** Enough to notice a page that breaks off, without downloading large files. */
const MAX_BODY_BYTES = 64 * 1024

// Bodies that do not end.
const ENDLESS = /^\s*(text\/event-stream|multipart\/x-mixed-replace)\b/i

/** An HTTP target is up when its final response has an expected status and the first 64 KiB of its body arrive. */
export const probeHttp: Probe<NetworkTools, HttpTarget> = (target, tools, signal) => {
  if (target.request?.protocol === 'GRPC_HEALTH') return checkGrpcHealth(target, tools, signal)
  return checkResponse(target, tools, signal, async (response, attemptSignal, text, start) => {
    if (text !== undefined) return null
    if (ENDLESS.test(response.headers['content-type'] ?? '')) return null
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      start.add(chunk)
      return bytes < MAX_BODY_BYTES
    }
    await readBody(response, count, attemptSignal, 'as sent')
    return null
  })
}
