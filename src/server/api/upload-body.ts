import type { IncomingMessage } from 'node:http'
import type { Fault } from '../../contract/errors.ts'
import { Upload } from '../../contract/upload.ts'
import { ClientGone } from './request-bodies.ts'

/** How long a whole upload may take. */
export const UPLOAD_TIMEOUT_MS = 30 * 60_000

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
    return { path: 'body', message: 'is required' }
  }
  const declared = length === undefined ? null : Number(length)
  return new Upload(declared, /^gzip$/i.test(encoding), () => chunksOf(request, stallMs))
}

async function* chunksOf(request: IncomingMessage, stallMs: number): AsyncGenerator<Buffer> {
  const stalled = (): void => void request.destroy(new Error('The client stopped sending'))
  let timer = setTimeout(stalled, stallMs)
  try {
    // The connection stays open, so that the client can read why its files were refused.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(stalled, stallMs)
    }
  } catch (cause) {
    throw new ClientGone('The client disconnected before its files had arrived', { cause })
  } finally {
    clearTimeout(timer)
    request.resume()
  }
}
