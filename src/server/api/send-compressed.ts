import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { TextParts } from '../../lib/json.ts'
import { etagMatches, negotiateEncoding } from '../../publishing/public-site/http/encoded-content.ts'
import { chunksOf } from '../responses/pending-responses.ts'
import { conditionsOf } from '../responses/send-content.ts'
import { JSON_TYPE, LARGE_BYTES, type ResponseHeaders, sendText } from './respond.ts'

type Encoding = ReturnType<typeof negotiateEncoding>

/** A shorter list fits into one packet. */
const MIN_CHARS = 1024
/** Lists that are compressed at once: name resolution of checks needs the same four threads. */
const MAX_COMPRESSING = 2
let compressing = 0

const compressors = {
  gzip: () => createGzip(),
  // The default takes ten times as long.
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
}

/**
 * Sends a text with an ETag, compressed if the client accepts it, or 304 if the client has it. `no-store` forbids caches to store it;
 * a client may compare all the same.
 */
export async function sendCompressed(
  reply: FastifyReply,
  parts: readonly string[],
  given: Readonly<Record<string, string>>,
  client: string,
): Promise<void> {
  const { acceptEncoding, ifNoneMatch } = conditionsOf(reply.request)
  const encoding = negotiateEncoding(acceptEncoding)
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  const etag = `"${hash.digest('base64url').slice(0, 22)}${encoding === 'identity' ? '' : `-${encoding}`}"`
  const headers = { ...given, etag, vary: `${given.vary}, Accept-Encoding` }
  if (etagMatches(ifNoneMatch, etag)) {
    reply.hijack()
    reply.raw.writeHead(304, headers).end()
    return
  }
  if (encoding === 'identity') sendText(reply, 200, parts, headers, client)
  else sendEncoded(reply, 200, encoding, await compress(parts, encoding), headers, client)
}

/** Sends a list like `sendText`, compressed if the client accepts it. Under load it is sent as it is instead of waiting. */
export async function sendList(
  reply: FastifyReply,
  status: number,
  text: TextParts,
  headers: ResponseHeaders,
  client: string,
): Promise<void> {
  headers.vary = headers.vary === undefined ? 'Accept-Encoding' : `${headers.vary}, Accept-Encoding`
  const encoding = negotiateEncoding(conditionsOf(reply.request).acceptEncoding)
  const parts = typeof text === 'string' ? [text] : text
  const chars = parts.reduce((sum, part) => sum + part.length, 0)
  if (encoding === 'identity' || chars < MIN_CHARS || compressing >= MAX_COMPRESSING) {
    sendText(reply, status, text, headers, client)
    return
  }
  compressing += 1
  const body = await compress(parts, encoding).finally(() => {
    compressing -= 1
  })
  sendEncoded(reply, status, encoding, body, headers, client)
}

/** In the thread pool, chunk by chunk. */
function compress(parts: readonly string[], encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  return buffer(Readable.from(chunksOf(parts)).pipe(compressors[encoding]()))
}

function sendEncoded(
  reply: FastifyReply,
  status: number,
  encoding: Encoding,
  body: Buffer,
  headers: ResponseHeaders,
  client: string,
): void {
  const { raw, server } = reply
  if (body.length > LARGE_BYTES) server.pendingResponses.requireRoom(body.length, client)
  headers['content-type'] ??= JSON_TYPE
  reply.hijack()
  raw.writeHead(status, { ...headers, 'content-encoding': encoding, 'content-length': `${body.length}` }).end(body)
  server.pendingResponses.count(raw, body.length, client)
}
