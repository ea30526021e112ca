import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { startDeadline } from '../../outbound/deadline.ts'
import { ConnectError, codeOf } from '../../outbound/errors.ts'
import { type Answer, answerFault } from './exchange.ts'
import { EXCERPT_CHARS, excerptOf, textReader } from './text.ts'

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
  answer: Answer,
  take: (chunk: Buffer) => boolean,
  signal: AbortSignal,
  form: 'decoded' | 'as sent',
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const body = form === 'decoded' ? decoded(answer) : answer.message
    let isOver = false
    let isEmpty = true
    answer.message.once('data', () => {
      isEmpty = false
    })
    const settle = () => {
      isOver = true
      signal.removeEventListener('abort', abort)
      if (body !== answer.message) body.destroy()
    }
    const abort = () => {
      settle()
      reject(signal.reason)
    }
    body.on('data', (chunk: Buffer) => {
      if (isOver || take(chunk)) return
      settle()
      resolve()
    })
    body.on('end', () => {
      settle()
      resolve()
    })
    body.on('error', (error) => {
      settle()
      // Nothing is no valid gzip, but it is what answers to HEAD, and 204, consist of.
      if (isEmpty && answer.message.complete) resolve()
      else reject(bodyFault(error, answer))
    })
    signal.addEventListener('abort', abort)
  })
}

/** The start of the body as text; a body that breaks or dawdles gives what there was of it. */
export async function readExcerpt(answer: Answer, signal: AbortSignal): Promise<string> {
  using deadline = startDeadline(EXCERPT_WAIT_MS, signal)
  const reader = textReader(answer.headers['content-type'])
  let text = ''
  let bytes = 0
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    text += reader.read(chunk)
    return text.length < EXCERPT_CHARS && bytes < MAX_EXCERPT_BYTES
  }
  try {
    await readBody(answer, take, deadline.signal, 'decoded')
  } catch {
    // The status has already failed the check; the excerpt only illustrates it.
  }
  return excerptOf(text + reader.end())
}

function decoded(answer: Answer): Readable {
  const codings = (answer.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0 || codings.length > MAX_CODINGS) return answer.message
  const decoders = codings.reverse().map(decoderFor)
  if (decoders.includes(null)) return answer.message
  const chain = decoders as NodeJS.ReadWriteStream[]
  // Its errors also reach the last stream, where `readBody` listens.
  pipeline([answer.message, ...chain], () => {})
  return chain.at(-1) as unknown as Readable
}

function decoderFor(coding: string): NodeJS.ReadWriteStream | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      // Reads gzip and zlib headers alike, as servers mix the two names up.
      return zlib.createUnzip()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
      return zlib.createZstdDecompress()
    default:
      return null
  }
}

function bodyFault(error: Error, answer: Answer): ConnectError {
  const code = codeOf(error)
  if (/^(Z_|ZSTD_|ERR__)/.test(code)) {
    const coding = answer.headers['content-encoding']
    return new ConnectError('CONNECT', `The body of the answer is not valid ${coding}`, { cause: error })
  }
  return answerFault(answer.fault() ?? error, answer.peer, 'The answer broke off: the connection was closed')
}
