import type { IncomingMessage } from 'node:http'
import { type Fault, faultFor, invalid } from '../../contract/errors.ts'
import { Upload } from '../../contract/upload.ts'
import { reason } from '../../reasons/reason.ts'
import { ClientGone } from './request-bodies.ts'

/** How long a whole upload may take. */
export const UPLOAD_TIMEOUT_MS = 30 * 60_000
/** On average, beyond the time that a client may pause. */
const MIN_BYTES_PER_SECOND = 64 * 1024

/** The files of a request, which are not read yet, or what is wrong with its headers. */
export function uploadOf(request: IncomingMessage, stallMs: number): Upload | Fault {
  const { 'content-type': type = '', 'content-encoding': encoding = '', 'content-length': length } = request.headers
  if (!/^application\/octet-stream[ \t]*(;|$)/i.test(type)) {
    return { path: 'content-type', message: 'must be application/octet-stream' }
  }
  if (!/^(gzip|identity)?$/i.test(encoding)) {
    return { path: 'content-encoding', message: 'is not supported: use gzip, or send the files without compression' }
  }
  if (length === '0' || (length === undefined && request.headers['transfer-encoding'] === undefined)) {
    return faultFor('body', reason('required'))
  }
  const declared = length === undefined ? null : Number(length)
  return new Upload(declared, /^gzip$/i.test(encoding), () => chunksOf(request, stallMs))
}

/**
 * Ends if the client stops sending, or sends too slowly. Only the time counts in which nothing has arrived: the server may take longer to
 * decompress and write.
 */
async function* chunksOf(request: IncomingMessage, stallMs: number): AsyncGenerator<Buffer> {
  // The connection stays open, so that the client can read why its files were refused.
  const chunks = request.iterator({ destroyOnReturn: false })
  let [bytes, waitedMs] = [0, 0]
  try {
    for (;;) {
      const askedAt = performance.now()
      const leftMs = Math.min(stallMs, stallMs + (1000 * bytes) / MIN_BYTES_PER_SECOND - waitedMs)
      const { done, value } = await arrivedWithin(leftMs, chunks.next())
      if (done === true) return
      waitedMs += performance.now() - askedAt
      bytes += value.length
      yield value
    }
  } finally {
    request.resume()
  }
}

async function arrivedWithin<T>(ms: number, arrival: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow()), ms)
  const gone = arrival.catch((cause: unknown) => {
    throw new ClientGone('The client disconnected before its files had arrived', { cause })
  })
  try {
    return await Promise.race([gone, late.promise])
  } finally {
    clearTimeout(timer)
    // Nobody waits any more for what is still to come.
    gone.catch(() => undefined)
  }
}

/** The rest of the body would be read as the next request. */
function tooSlow() {
  const message = `arrived too slowly: send at least ${MIN_BYTES_PER_SECOND / 1024} KiB per second`
  return invalid([{ path: 'body', message }], { connection: 'close' })
}
