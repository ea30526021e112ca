import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../../lib/once.ts'
import type { EncodedContent } from '../../publishing/public-site/http/encoded-content.ts'
import { respond } from '../../publishing/public-site/http/response.ts'
import { pathOf } from '../api/paths.ts'
import { conditionsOf } from '../public/status-pages.ts'
import type { OpenApi } from './model.ts'
import { DOCS_PATH } from './paths.ts'
import { createReference } from './reference.ts'

/** The API reference. */
export function referenceRoutes(app: FastifyInstance, documentOf: () => OpenApi): void {
  const files = once(() => createReference(documentOf()))
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const path = pathOf(request.url)
    const file = files().get(path)
    if (file !== undefined) return send(file(), request, reply)
    const withoutSlash = path.replace(/\/+$/, '')
    return files().has(withoutSlash) ? reply.redirect(withoutSlash, 301) : reply.callNotFound()
  }
  for (const url of [DOCS_PATH, `${DOCS_PATH}/*`]) {
    app.route({ method: ['GET', 'HEAD'], url, handler: answer })
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      handler: (_request, reply) => reply.code(405).header('allow', 'GET, HEAD').send(),
    })
  }
}

async function send(content: EncodedContent, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { status, headers, body } = await respond(content, conditionsOf(request))
  reply.hijack()
  reply.raw.writeHead(status, headers as string[]).end(body)
}
