import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { once } from '../../lib/once.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { EncodedContent } from '../../publishing/public-site/http/encoded-content.ts'
import { sendContent } from '../responses/send-content.ts'
import { countOpenRequest } from './authenticate.ts'
import { fail, standardHeaders } from './fail.ts'
import { methodNotAllowed, pathOf } from './paths.ts'
import { JSON_TYPE } from './respond.ts'
import type { ApiOptions } from './routes.ts'

const DOCUMENT_PATH = '/openapi.json'

/** A document of `npm run openapi` with the address of this server. Bytes, because all readers share them; Node would copy a string for each. */
export function readDocument(name: 'openapi.json' | 'openapi-app.json', baseUrl: string): Buffer {
  const text = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
  return Buffer.from(JSON.stringify(JSON.parse(text.replaceAll('http://localhost:3000', baseUrl))))
}

/** `GET /openapi.json` needs no key. It is counted and has the headers of the API. */
export async function documentRoute(app: FastifyInstance, options: ApiOptions, text: () => Buffer): Promise<void> {
  // The document is the same for everybody. Caches may store it and ask each time whether it has changed.
  const document = once(() => new EncodedContent(text(), JSON_TYPE, { 'cache-control': 'no-cache' }))
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('counted', undefined)
  app.setErrorHandler((error, request, reply) => fail(options, error, request, reply))
  app.get(DOCUMENT_PATH, async (request, reply) => {
    await countTolerantly(options, request)
    const { 'cache-control': _caching, vary: _vary, ...headers } = standardHeaders(options.rateLimit, request)
    return sendContent(document(), request, reply, Object.entries(headers).flat())
  })
}

export function isDocumentPath(url: string): boolean {
  return pathOf(url) === DOCUMENT_PATH
}

/** Refuses a request for the document with another method than GET and HEAD. */
export async function refuseMethod(api: ApiOptions, request: FastifyRequest): Promise<never> {
  await countTolerantly(api, request)
  throw methodNotAllowed(request.method, ['GET'])
}

/** The document holds no data, so it is served without the database too. Throws 429. */
async function countTolerantly(options: ApiOptions, request: FastifyRequest): Promise<void> {
  await countOpenRequest(options, request).catch((error: unknown) => {
    if (error instanceof ApiError) throw error
    tolerate(options.log, 'counting a request for the OpenAPI document')(error)
  })
}
