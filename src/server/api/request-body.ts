import type { IncomingMessage } from 'node:http'
import type { Fault } from '../../contract/errors.ts'

/** 100,000 characters of a request body, escaped as \uXXXX pairs, fit. */
const BODY_LIMIT_BYTES = 2 * 1024 * 1024

/** A body over the limit is read and discarded up to this size, so that the client can still read the response. */
const MAX_DISCARDED_BYTES = 8 * BODY_LIMIT_BYTES

export interface BodyRules {
  /** How long the whole body may take to arrive. */
  readonly timeoutMs: number
}

/** `unread`: part of the body was not read, so the connection must be closed. */
export type BodyOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[]; readonly unread: boolean }

const decoder = new TextDecoder('utf-8', { fatal: true })

export async function readBody(request: IncomingMessage, rules: BodyRules): Promise<BodyOutcome> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-type': type } = request.headers
  const { 'content-encoding': encoding } = request.headers
  if (chunked === undefined && (length === undefined || Number(length) === 0)) return { kind: 'none' }
  if (Number(length) > MAX_DISCARDED_BYTES) return faulty('body', TOO_LARGE, true)
  const received = await readBytes(request, rules)
  if ('message' in received) return faulty('body', received.message, received.unread)
  if (received.bytes.length === 0) return { kind: 'none' }
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) return faulty('content-encoding', COMPRESSED, false)
  if (!isJsonType(type)) return faulty('content-type', 'must be application/json', false)
  if (!isUtf8(type)) return faulty('content-type', 'must have the charset UTF-8', false)
  return parse(received.bytes)
}

const TOO_LARGE = 'must be at most 2 MiB'
const COMPRESSED = 'is not supported: send the body without compression'

function faulty(path: string, message: string, unread: boolean): BodyOutcome {
  return { kind: 'faulty', faults: [{ path, message }], unread }
}

function isJsonType(type: string | undefined): type is string {
  return type !== undefined && /^application\/json[ \t]*(;|$)/i.test(type)
}

function isUtf8(type: string): boolean {
  const charset = /;[ \t]*charset="?([^";, \t]*)/i.exec(type)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

function parse(bytes: Buffer): BodyOutcome {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return faulty('body', 'must be UTF-8', false)
  }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return faulty('body', 'must be valid JSON', false)
  }
}

type Received = { readonly bytes: Buffer } | { readonly message: string; readonly unread: boolean }

function readBytes(request: IncomingMessage, rules: BodyRules): Promise<Received> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(settle, rules.timeoutMs, { message: 'took too long to arrive', unread: true })
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= BODY_LIMIT_BYTES) chunks.push(chunk)
      else chunks = []
      if (size > MAX_DISCARDED_BYTES) settle({ message: TOO_LARGE, unread: true })
    }
    const onEnd = (): void => {
      settle(size > BODY_LIMIT_BYTES ? { message: TOO_LARGE, unread: false } : { bytes: Buffer.concat(chunks) })
    }
    const onGone = (): void => {
      stop()
      reject(new ClientGone('The client disconnected before its body had arrived'))
    }
    function stop(): void {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('aborted', onGone)
    }
    function settle(received: Received): void {
      stop()
      resolve(received)
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('aborted', onGone)
  })
}

/** The client closed the connection; no response can be sent. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}
