import { pipeline, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { startDeadline } from '../../../outbound/deadline.ts'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import { excerptOf } from '../../../outbound/excerpt.ts'
import { reason } from '../../../reasons/reason.ts'
import { createTextDecoder, EXCERPT_CHARS } from './decode-text.ts'
import { type HttpResponse, responseError } from './response.ts'

const MAX_EXCERPT_BYTES = 64 * 1024
/** The check has already failed; the error page is only worth a short wait. */
const EXCERPT_WAIT_MS = 1000
/** A body with more content encodings is not decoded. */
const MAX_CODINGS = 3

/**
 * Calls `take` with each chunk of the body until it ends or `take` returns false. Decodes while reading, so a small body
 * that unpacks to gigabytes costs no more than what is taken of it.
 */
export function readBody(
  response: HttpResponse,
  take: (chunk: Buffer) => boolean,
  signal: AbortSignal,
  form: 'decoded' | 'as sent',
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    const decoders = form === 'decoded' ? decodersFor(response.headers['content-encoding']) : []
    const reading = decoders.length === 0 ? response.body.read(take) : readDecoded(response, decoders, take, signal)
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

async function readDecoded(
  response: HttpResponse,
  decoders: readonly Transform[],
  take: (chunk: Buffer) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { body } = response
  const [first, last] = [decoders[0] as Transform, decoders.at(-1) as Transform]
  let isWanted = true
  const ended = Promise.withResolvers<void>()
  const stop = () => {
    isWanted = false
    ended.resolve()
  }
  last.on('data', (chunk: Buffer) => {
    if (isWanted && !take(chunk)) stop()
  })
  last.on('end', stop)
  // The pipeline passes errors of the others on to the last one.
  last.on('error', (error) => ended.reject(decodingError(error, response)))
  signal.addEventListener('abort', stop)
  if (decoders.length > 1) pipeline(decoders as never, () => {})
  first.on('drain', () => body.resume())
  let isEmpty = true
  const sent = body.read((bytes) => {
    isEmpty = false
    if (isWanted && !first.write(bytes)) body.pause()
    return isWanted
  })
  try {
    // Does not wait for the rest of a body that is invalid or no longer wanted.
    await Promise.race([sent, ended.promise])
    // An empty body is not valid gzip, but responses to HEAD, and 204, have none.
    if (isEmpty) return
    if (isWanted) first.end()
    await ended.promise
  } finally {
    isWanted = false
    signal.removeEventListener('abort', stop)
    ended.promise.catch(() => {})
    sent.catch(() => {})
    for (const decoder of decoders) decoder.destroy()
  }
}

/** The whole body, decoded; undefined if it is larger. */
export async function readAtMost(
  maxKib: number,
  response: HttpResponse,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    return bytes <= maxKib * 1024
  }
  await readBody(response, take, signal, 'decoded')
  return bytes <= maxKib * 1024 ? Buffer.concat(chunks) : undefined
}

/** More of a body is not read. */
const MAX_TEXT_BYTES = 1024 * 1024

/** The body as text, up to 1 MiB. */
export async function readText(
  response: HttpResponse,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = createTextDecoder(response.headers['content-type'])
  let text = ''
  let bytesLeft = MAX_TEXT_BYTES
  const take = (chunk: Buffer) => {
    text += decoder.decode(chunk.length > bytesLeft ? chunk.subarray(0, bytesLeft) : chunk)
    bytesLeft -= chunk.length
    return bytesLeft >= 0
  }
  await readBody(response, take, signal, 'decoded')
  return { text: text + decoder.end(), isCut: bytesLeft < 0 }
}

/** The start of the body as text: what arrives within a second, even if the body then breaks off. */
export async function readExcerpt(response: HttpResponse, signal: AbortSignal): Promise<string> {
  using deadline = startDeadline(EXCERPT_WAIT_MS, signal)
  const decoder = createTextDecoder(response.headers['content-type'])
  let text = ''
  let bytes = 0
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    text += decoder.decode(chunk)
    return text.length < EXCERPT_CHARS && bytes < MAX_EXCERPT_BYTES
  }
  try {
    await readBody(response, take, deadline.signal, 'decoded')
  } catch {
    // The check has already failed by its status.
  }
  return excerptOf(text + decoder.end(), EXCERPT_CHARS)
}

function decodersFor(encoding: string | undefined): readonly Transform[] {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > MAX_CODINGS || !codings.every((coding) => Object.hasOwn(decoderFactories, coding))) return []
  return codings.reverse().map((coding) => (decoderFactories[coding] as () => Transform)())
}

const decoderFactories: Readonly<Record<string, () => Transform>> = {
  // createUnzip accepts gzip and zlib headers; servers confuse the two names.
  gzip: () => zlib.createUnzip(),
  'x-gzip': () => zlib.createUnzip(),
  deflate: () => zlib.createUnzip(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

function decodingError(error: Error, { headers, peer }: HttpResponse): ConnectError {
  if (/^(Z_|ZSTD_|ERR__)/.test(codeOf(error))) {
    return new ConnectError('CONNECT', reason('body_encoding', { encoding: String(headers['content-encoding']) }), {
      cause: error,
    })
  }
  return responseError(error, peer, reason('closed_early'))
}
