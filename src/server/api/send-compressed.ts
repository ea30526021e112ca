import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { etagMatches, negotiateEncoding } from '../../publishing/public-site/http/encoded-content.ts'
import { conditionsOf } from '../responses/send-content.ts'
import { sendText } from './respond.ts'

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
  if (encoding === 'identity') {
    sendText(reply, 200, parts, headers, client)
    return
  }
  // In the thread pool, part by part.
  const body = await buffer(Readable.from(parts).pipe(compressors[encoding]()))
  reply.hijack()
  reply.raw.writeHead(200, { ...headers, 'content-encoding': encoding, 'content-length': `${body.length}` }).end(body)
  reply.server.pendingResponses.count(reply.raw, body.length, client)
}
