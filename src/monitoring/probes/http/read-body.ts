import { pipeline, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { startDeadline } from '../../../outbound/deadline.ts'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import { type HttpResponse, responseError } from './connection.ts'
import { createTextDecoder, EXCERPT_CHARS, excerptOf } from './decode-text.ts'

const MAX_EXCERPT_BYTES = 64 * 1024
/** The verdict stands already; only a short wait is worth a look at the error page. */
const EXCERPT_WAIT_MS = 1000
/** Nobody codes a page more often than this with good intent. */
const MAX_CODINGS = 3

/**
 * Hands the body to `take`, chunk by chunk, until it ends or `take` returns false. Decoding is done as the chunks are
 * taken, so a small body that unpacks to gigabytes costs no more than what is taken of it.
 */
export function readBody(
  answer: HttpResponse,
  take: (chunk: Buffer) => boolean,
  signal: AbortSignal,
  form: 'decoded' | 'as sent',
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    const decoders = form === 'decoded' ? decodersFor(answer.headers['content-encoding']) : []
    const reading = decoders.length === 0 ? answer.body.read(take) : readDecoded(answer, decoders, take, signal)
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

type Decoder = Transform

async function readDecoded(
  answer: HttpResponse,
  decoders: readonly Decoder[],
  take: (chunk: Buffer) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { body } = answer
  const [first, last] = [decoders[0] as Decoder, decoders.at(-1) as Decoder]
  let isWanted = true
  const decoded = new Promise<void>((resolve, reject) => {
    const stop = () => {
      isWanted = false
      resolve()
    }
    last.on('data', (chunk: Buffer) => {
      if (isWanted && !take(chunk)) stop()
    })
    last.on('end', stop)
    // Faults of any of them reach the last one.
    last.on('error', (error) => reject(codingFault(error, answer)))
    signal.addEventListener('abort', stop)
    if (decoders.length > 1) pipeline(decoders as never, () => {})
    first.on('drain', () => body.resume())
  })
  let isEmpty = true
  const sent = body.read((bytes) => {
    isEmpty = false
    if (isWanted && !first.write(bytes)) body.pause()
    return isWanted
  })
  try {
    // What is broken, or no longer wanted, is not waited for to its end.
    await Promise.race([sent, decoded])
    // Nothing is no valid gzip, but it is what answers to HEAD, and 204, consist of.
    if (isEmpty) return
    if (isWanted) first.end()
    await decoded
  } finally {
    isWanted = false
    decoded.catch(() => {})
    sent.catch(() => {})
    for (const decoder of decoders) decoder.destroy()
  }
}

/** The start of the body as text; a body that breaks or dawdles gives what there was of it. */
export async function readExcerpt(answer: HttpResponse, signal: AbortSignal): Promise<string> {
  using deadline = startDeadline(EXCERPT_WAIT_MS, signal)
  const reader = createTextDecoder(answer.headers['content-type'])
  let text = ''
  let bytes = 0
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    text += reader.decode(chunk)
    return text.length < EXCERPT_CHARS && bytes < MAX_EXCERPT_BYTES
  }
  try {
    await readBody(answer, take, deadline.signal, 'decoded')
  } catch {
    // The status has already failed the check; the excerpt only illustrates it.
  }
  return excerptOf(text + reader.end())
}

function decodersFor(encoding: string | undefined): readonly Decoder[] {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > MAX_CODINGS || !codings.every((coding) => coding in makers)) return []
  return codings.reverse().map((coding) => (makers[coding] as () => Decoder)())
}

const makers: Readonly<Record<string, () => Decoder>> = {
  // Reads gzip and zlib headers alike, as servers mix the two names up.
  gzip: () => zlib.createUnzip(),
  'x-gzip': () => zlib.createUnzip(),
  deflate: () => zlib.createUnzip(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

function codingFault(error: Error, { headers, peer }: HttpResponse): ConnectError {
  if (/^(Z_|ZSTD_|ERR__)/.test(codeOf(error))) {
    return new ConnectError('CONNECT', `The body of the answer is not valid ${headers['content-encoding']}`, {
      cause: error,
    })
  }
  return responseError(error, peer, 'The answer broke off: the connection was closed')
}
