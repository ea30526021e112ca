import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Site } from '../../publishing/public-site/site.ts'
import { sendError } from '../api/respond.ts'
import { conditionsOf } from '../responses/send-content.ts'

/** Answers an unknown URL: browsers get a page, other clients the JSON error. Paths below the APIs have handlers of their own. */
export async function answerNotFound(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!wantsPage(request)) return sendError(reply, new ApiError('not_found', 'Not found'), request.id, {})
  const { status, headers, body } = await site.notFound(conditionsOf(request))
  reply.hijack()
  reply.raw.writeHead(status, headers as string[]).end(body)
}

function wantsPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')
}
