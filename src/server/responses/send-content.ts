import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type EncodedContent,
  type RequestConditions,
  respond,
} from '../../publishing/public-site/http/encoded-content.ts'

export function conditionsOf({ headers }: FastifyRequest): RequestConditions {
  const accepted = headers['accept-encoding']
  return {
    acceptEncoding: Array.isArray(accepted) ? accepted.join(',') : accepted,
    ifNoneMatch: headers['if-none-match'],
  }
}

/** Sends content that all clients share, or 304 if the client has it. */
export async function sendContent(
  content: EncodedContent,
  request: FastifyRequest,
  reply: FastifyReply,
  moreHeaders: readonly string[] = [],
): Promise<void> {
  const { status, headers, body } = await respond(content, conditionsOf(request))
  reply.hijack()
  reply.raw.writeHead(status, [...moreHeaders, ...headers]).end(body)
}
