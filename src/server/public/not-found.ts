import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Site } from '../../publishing/public-site/site.ts'
import { sendError } from '../api/respond.ts'
import { conditionsOf } from './status-pages.ts'

/** Answers an unknown URL: browsers get a page, other clients and everything below the APIs the JSON error. */
export async function answerNotFound(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!wantsPage(request)) return sendError(reply, new ApiError('not_found', 'Not found'), request.id, {})
  const { status, headers, body } = await site.notFound(conditionsOf(request))
  reply.hijack()
  reply.raw.writeHead(status, headers as string[]).end(body)
}

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const path = url.replace(/^https?:\/\/[^/]*/i, '')
  const isApi = /^\/(app\/)?api([/?]|$)/.test(path)
  return (method === 'GET' || method === 'HEAD') && !isApi && /\btext\/html\b/i.test(headers.accept ?? '')
}
