import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../../lib/once.ts'
import { pathOf } from '../api/paths.ts'
import { sendContent } from '../responses/send-content.ts'
import { DOCS_PATH } from './layout.ts'
import type { OpenApi } from './model.ts'
import { createReference } from './reference.ts'

/** The API reference. */
export function referenceRoutes(app: FastifyInstance, documentOf: () => OpenApi): void {
  const files = once(() => createReference(documentOf()))
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const path = pathOf(request.url)
    const file = files().get(path)
    if (file !== undefined) return sendContent(file(), request, reply)
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
