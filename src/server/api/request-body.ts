import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { Fault } from '../../contract/errors.ts'
import { clientAddress } from './client-address.ts'
import { boundFault } from './json-bounds.ts'

/** The rest of a refused body is discarded up to this size, so that the client can read the response and send its next request. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024

export interface BodyRules {
  /** How long the whole body may take to arrive. */
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Accepts gzip, and any number of keys and items. */
  readonly isDocument?: boolean
}

/** `unread`: part of the body was not read, so the connection must be closed. */
export type BodyOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[]; readonly unread: boolean }

const decoder = new TextDecoder('utf-8', { fatal: true })

export async function readBody(
  request: FastifyRequest,
  { timeoutMs, maxBytes, isDocument = false }: BodyRules,
): Promise<BodyOutcome> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-type': type } = request.headers
  const { 'content-encoding': encoding } = request.headers
  if (chunked === undefined && (length === undefined || Number(length) === 0)) return { kind: 'none' }
  const tooLarge = `must be at most ${sizeText(maxBytes)}`
  // Node discards the body after the response.
  if (Number(length) > maxBytes) return faulty('body', tooLarge, Number(length) > MAX_DISCARDED_BYTES)
  const limits = { maxBytes, readsAll: false, timeoutMs }
  const { bytes, cut } = await request.server.requestBodies.receive(request.raw, clientAddress(request), limits)
  if (cut === 'too slow') return faulty('body', 'took too long to arrive', true)
  if (cut === 'too long') return faulty('body', tooLarge, false)
  if (bytes.length === 0) return { kind: 'none' }
  const isGzip = isDocument && encoding !== undefined && /^gzip$/i.test(encoding)
  if (encoding !== undefined && !isGzip && !/^(identity)?$/i.test(encoding)) {
    return faulty('content-encoding', isDocument ? GZIP_ONLY : COMPRESSED, false)
  }
  if (!isJsonType(type)) return faulty('content-type', 'must be application/json', false)
  if (!isUtf8(type)) return faulty('content-type', 'must have the charset UTF-8', false)
  if (!isDocument) return parseBody(bytes)
  try {
    return parseJson(isGzip ? await decompress(bytes, { maxOutputLength: maxBytes }) : bytes)
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return faulty('body', isTooLarge ? tooLarge : 'must be valid gzip', false)
  }
}

const decompress = promisify(gunzip)

const COMPRESSED = 'is not supported: send the body without compression'
const GZIP_ONLY = 'is not supported: use gzip, or send the body without compression'

/** `2 MiB` or `64 KiB`. */
export function sizeText(bytes: number): string {
  const kib = bytes / 1024
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`
}

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

/** Exported for tests. */
export function parseBody(bytes: Buffer): BodyOutcome {
  const beyond = boundFault(bytes)
  return beyond === undefined ? parseJson(bytes) : { kind: 'faulty', faults: [beyond], unread: false }
}

function parseJson(bytes: Buffer): BodyOutcome {
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
