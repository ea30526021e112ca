import { crc32 } from 'node:zlib'
import { pageFacts, type ResponseBody } from '../../evidence/page.ts'
import type { Attempt } from '../attempt.ts'
import { createTextDecoder } from './decode-text.ts'
import type { HttpRequest } from './request.ts'
import type { HttpResponse } from './response.ts'

/** More of a body is not compared. */
const MAX_BYTES = 64 * 1024

/** The start of a body, as it is read. */
export class BodyStart {
  readonly #chunks: Buffer[] = []
  bytes = 0
  checksum = 0

  add(chunk: Buffer): void {
    // The same first 64 KiB of a long body, independent of the size of the chunks.
    const part = chunk.subarray(0, MAX_BYTES - this.bytes)
    if (part.length === 0) return
    this.bytes += part.length
    this.checksum = crc32(part, this.checksum)
    this.#chunks.push(part)
  }

  text(contentType: string | undefined): string {
    const decoder = createTextDecoder(contentType)
    return this.#chunks.map((chunk) => decoder.decode(chunk)).join('')
  }
}

/**
 * Notes what the response looks like, if it is not as known. A response that fails is always noted: what has changed explains it.
 */
export function observePage(
  attempt: Attempt,
  { url }: HttpRequest,
  { status, headers }: HttpResponse,
  redirects: readonly number[],
  body: BodyStart | string | undefined,
  isFailure: boolean,
): void {
  const known = isFailure ? '' : (attempt.knownPage ?? '')
  const finalUrl = `${url.origin}${url.pathname}`
  const facts = { status, headers, finalUrl, redirects, addresses: attempt.addresses }
  const page = pageFacts(known, facts, body === undefined ? undefined : comparedBody(body, headers))
  if (page !== null) attempt.observed.page = { key: page.key, fields: page.fields as Record<string, string> }
}

function comparedBody(body: BodyStart | string, headers: HttpResponse['headers']): ResponseBody {
  const declared = Number(headers['content-length'] ?? Number.NaN)
  if (typeof body === 'string') {
    const bytes = Number.isNaN(declared) ? Math.min(body.length, MAX_BYTES) : declared
    return { checksum: crc32(body), bytes, text: () => body }
  }
  return {
    checksum: body.checksum,
    bytes: Number.isNaN(declared) ? body.bytes : declared,
    // The probe does not ask for compression, so such a body is rare.
    text: (type) => (headers['content-encoding'] === undefined ? body.text(type) : undefined),
  }
}
