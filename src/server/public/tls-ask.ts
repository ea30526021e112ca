import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { normalizeDomain } from '../../publishing/custom-domains/names.ts'
import { domainFinder } from '../../publishing/public-site/find-domain.ts'
import { rateLimited, sendError } from '../api/respond.ts'
import type { ApiOptions } from '../api/routes.ts'
import { LookupLimits } from './lookup-limits.ts'
import { createPeerCheck, type RequestHead } from './request-host.ts'

type Dependencies = Pick<ApiOptions, 'database' | 'installation' | 'clock'> & {
  /** Addresses of trusted proxies. */
  readonly trustProxy: readonly string[]
}

const LOOPBACK = ['127.0.0.0/8', '::1']

/**
 * GET /internal/tls-ask?domain=: whether a proxy may obtain a certificate for a domain (the `ask` URL of Caddy's on-demand TLS). 200 if
 * a status page is served there. For all other domains, and for visitors, it is like a URL that does not exist.
 */
export async function tlsAskRoute(app: FastifyInstance, dependencies: Dependencies): Promise<void> {
  const { database, installation, clock, trustProxy } = dependencies
  const { requiresDomainProof } = installation
  const slugOn = domainFinder({ database, baseUrl: () => installation.baseUrl, requiresDomainProof })
  const mayAsk = createAskCheck(trustProxy)
  const limits = new LookupLimits()
  app.get('/internal/tls-ask', async (request: FastifyRequest, reply: FastifyReply) => {
    const { domain: text } = request.query as { domain?: unknown }
    const domain = typeof text === 'string' ? normalizeDomain(text) : undefined
    if (domain === undefined || !mayAsk(request)) return reply.callNotFound()
    const isServed = async () => (await slugOn(domain)) !== undefined
    const { isKnown, waitMs } = await limits.lookUp(domain, request.socket.remoteAddress ?? '', clock.now(), isServed)
    if (waitMs > 0) return sendError(reply, rateLimited({ resetsInMs: waitMs }), request.id, {})
    if (isKnown) {
      if (await isServed()) return reply.code(200).send()
      limits.forget(domain)
    }
    return reply.callNotFound()
  })
}

/** A proxy asks for itself: from loopback or its trusted address, without the header that it adds to requests of visitors. */
export function createAskCheck(trustProxy: readonly string[]): (request: RequestHead) => boolean {
  const isProxy = createPeerCheck([...LOOPBACK, ...trustProxy])
  return (request) => request.headers['x-forwarded-for'] === undefined && isProxy(request)
}
