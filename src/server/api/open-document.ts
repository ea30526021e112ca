import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { countOpenRequest } from './authenticate.ts'
import { fail, standardHeaders } from './fail.ts'
import { methodNotAllowed, pathOf } from './paths.ts'
import { JSON_TYPE } from './respond.ts'
import type { ApiOptions } from './routes.ts'

const DOCUMENT_PATH = '/openapi.json'

/** `GET /openapi.json` needs no key. It is counted and has the headers of the API. */
export async function documentRoute(app: FastifyInstance, options: ApiOptions, document: () => Buffer): Promise<void> {
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('counted', undefined)
  app.setErrorHandler((error, request, reply) => fail(options, error, request, reply))
  app.get(DOCUMENT_PATH, async (request, reply) => {
    await countTolerantly(options, request)
    reply.headers(standardHeaders(options.rateLimit, request)).type(JSON_TYPE)
    // The document is the same for everybody and may be cached.
    return reply.removeHeader('cache-control').removeHeader('vary').send(document())
  })
}

export function isDocumentPath(url: string): boolean {
  return pathOf(url) === DOCUMENT_PATH
}

/** Answers a request for the document with another method than GET and HEAD. */
export async function answerWrongMethod(api: ApiOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    await countTolerantly(api, request)
    throw methodNotAllowed(request.method, ['GET'])
  } catch (error) {
    fail(api, error, request, reply)
  }
}

/** The document holds no data, so it is served without the database too. Throws 429. */
async function countTolerantly(options: ApiOptions, request: FastifyRequest): Promise<void> {
  await countOpenRequest(options, request).catch((error: unknown) => {
    if (error instanceof ApiError) throw error
    tolerate(options.log, 'counting a request for the OpenAPI document')(error)
  })
}
