import type { FastifyRequest } from 'fastify'
import type { Fault } from '../../contract/errors.ts'
import { type DocumentReader, type JsonOutcome, parseJson, parseLargeJson, sizeText } from '../../contract/json-body.ts'
import { type ForeignWork, ForeignWorkFailed, MAX_FOREIGN_CHARS } from '../../lib/foreign-work.ts'
import { clientAddress } from './client-address.ts'

/** The rest of a refused body is discarded up to this size, so that the client can read the response and send its next request. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024

export interface BodyRules {
  /** How long the whole body may take to arrive. */
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Of a large document. It may be compressed with gzip. */
  readonly document?: DocumentReader | undefined
}

/** `unread`: part of the body was not read, so the connection must be closed. */
interface Faulty {
  readonly kind: 'faulty'
  readonly faults: readonly Fault[]
  readonly unread: boolean
}

interface NoBody {
  readonly kind: 'none'
}

/** A body whose headers permit to parse it. */
interface Received {
  readonly kind: 'received'
  readonly bytes: Buffer
  readonly isGzip: boolean
}

/** `digest`: of a document, identifies its content. */
export type BodyOutcome =
  | NoBody
  | { readonly kind: 'json'; readonly value: unknown; readonly digest?: string | undefined }
  | Faulty

/** Reads and parses a body that is no document. */
export async function readBody(request: FastifyRequest, rules: BodyRules, foreign: ForeignWork): Promise<BodyOutcome> {
  const received = await receiveBody(request, rules)
  return received.kind === 'received' ? parseBody(received, rules, foreign, clientAddress(request)) : received
}

export async function receiveBody(
  request: FastifyRequest,
  { timeoutMs, maxBytes, document }: BodyRules,
): Promise<NoBody | Faulty | Received> {
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
  const isGzip = document !== undefined && encoding !== undefined && /^gzip$/i.test(encoding)
  if (encoding !== undefined && !isGzip && !/^(identity)?$/i.test(encoding)) {
    return faulty('content-encoding', document === undefined ? COMPRESSED : GZIP_ONLY, false)
  }
  if (!isJsonType(type)) return faulty('content-type', 'must be application/json', false)
  if (!isUtf8(type)) return faulty('content-type', 'must have the charset UTF-8', false)
  return { kind: 'received', bytes, isGzip }
}

/** `key`: with whom it takes turns, if it is so large that it is parsed in another thread. */
export async function parseBody(
  { bytes, isGzip }: Omit<Received, 'kind'>,
  { document, maxBytes }: Omit<BodyRules, 'timeoutMs'>,
  foreign: ForeignWork,
  key: string,
): Promise<BodyOutcome> {
  try {
    if (document !== undefined) return outcomeOf(await foreign.run(document, { bytes, isGzip, maxBytes }, key))
    return outcomeOf(
      bytes.length > MAX_FOREIGN_CHARS ? await foreign.run(parseLargeJson, bytes, key) : parseJson(bytes),
    )
  } catch (error) {
    if (error instanceof ForeignWorkFailed) return faulty('body', error.message, false)
    throw error
  }
}

function outcomeOf(outcome: JsonOutcome & { readonly digest?: string }): BodyOutcome {
  if ('faults' in outcome) return { kind: 'faulty', faults: outcome.faults, unread: false }
  return { kind: 'json', value: outcome.value, digest: outcome.digest }
}

const COMPRESSED = 'is not supported: send the body without compression'
const GZIP_ONLY = 'is not supported: use gzip, or send the body without compression'

function faulty(path: string, message: string, unread: boolean): Faulty {
  return { kind: 'faulty', faults: [{ path, message }], unread }
}

function isJsonType(type: string | undefined): type is string {
  return type !== undefined && /^application\/json[ \t]*(;|$)/i.test(type)
}

function isUtf8(type: string): boolean {
  const charset = /;[ \t]*charset="?([^";, \t]*)/i.exec(type)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}
