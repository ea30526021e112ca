import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONFIRM_PATH } from '../../notifications/contacts/confirmation.ts'
import { LINKS_PATH } from '../../notifications/subscribers/links.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { isReserved } from '../../publishing/custom-domains/names.ts'
import { domainFinder } from '../../publishing/public-site/find-domain.ts'
import type { PageResponse } from '../../publishing/public-site/http/encoded-content.ts'
import type { SlugOrDomain } from '../../publishing/public-site/queries/pages.ts'
import { type Form, type PageRequest, Site } from '../../publishing/public-site/site.ts'
import { ASSETS_PATH } from '../../publishing/public-site/styles/stylesheets.ts'
import { targetOf } from '../../publishing/public-site/targets.ts'
import { isSlug } from '../../publishing/status-pages/slug.ts'
import { clientAddress } from '../api/client-address.ts'
import { pathOf } from '../api/paths.ts'
import type { ApiOptions } from '../api/routes.ts'
import { conditionsOf } from '../responses/send-content.ts'
import { createHostReader } from './request-host.ts'

/** The forms have one or two short fields. A larger body is read and ignored. */
const MAX_FORM_BYTES = 4096
const SLUG_ROUTE = '/status/:slug'
/** What browsers send to a page. */
const visitMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Also served on the custom domains of status pages. */
    isOnEveryHost?: boolean
  }
}

type Dependencies = Pick<ApiOptions, 'database' | 'sealer' | 'installation' | 'clock' | 'log' | 'metrics'> & {
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Whether status pages name Pharos in their footer. */
  readonly poweredBy: boolean
  /** Addresses that visitors may subscribe. */
  readonly subscriberPolicy: AddressPolicy
  /** Addresses of trusted proxies. */
  readonly trustProxy: readonly string[]
  /** The header that names the host, in lower case. */
  readonly hostHeader: string
}

/**
 * Public status pages: under /status/SLUG and on custom domains. A request for a host that belongs to no page is handled by the
 * other routes; on the domain of a page these are 404.
 */
export function statusPageRoutes(app: FastifyInstance, dependencies: Dependencies): Site {
  const { database, sealer, installation, clock, log, metrics, canMail, poweredBy, subscriberPolicy } = dependencies
  const hostOf = createHostReader(dependencies)
  const { requiresDomainProof } = installation
  const baseUrl = (): string => installation.baseUrl
  const site = new Site({
    database,
    sealer,
    clock,
    log,
    canMail,
    poweredBy,
    baseUrl,
    requiresDomainProof,
    subscriberPolicy,
  })
  const write = (reply: FastifyReply, response: PageResponse, startedAt: number): void => {
    reply.hijack()
    reply.raw.writeHead(response.status, response.headers as string[]).end(response.body)
    if (response.body !== undefined) {
      const { length } = response.body
      app.pendingResponses.count(reply.raw, length, reply.request.ip, response.body)
    }
    metrics.requestDone('statusPage', response.status, startedAt)
  }
  const respond = async (reply: FastifyReply, response: Promise<PageResponse>): Promise<void> => {
    const startedAt = performance.now()
    write(reply, await response, startedAt)
  }

  const slugOn = domainFinder({ database, baseUrl, requiresDomainProof })
  /** A custom domain has its page and nothing else. Undefined if the other routes handle the request. */
  const answerOnDomain = async (domain: string, request: FastifyRequest): Promise<PageResponse | undefined> => {
    const pageRequest = pageRequestOf(request, { domain }, '', pathOf(request.url))
    const isBelowPage = request.is404 || targetOf(pageRequest.path, pageRequest.query) !== undefined
    if (isBelowPage && visitMethods.has(request.method)) return site.answerIfPage(pageRequest)
    const slug = await slugOn(domain)
    const isSlugRoute = request.routeOptions.url?.startsWith(SLUG_ROUTE) === true
    const isOwn = isSlugRoute && (request.params as { slug: string }).slug === slug
    return slug === undefined || isOwn ? undefined : site.notFound(conditionsOf(request))
  }
  app.addHook('onRequest', (request, reply, done) => {
    const domain = domainOf(hostOf(request), installation.baseUrl)
    if (domain === undefined || request.routeOptions.config.isOnEveryHost === true) return done()
    const startedAt = performance.now()
    answerOnDomain(domain, request).then((response) => {
      if (response === undefined) done()
      else write(reply, response, startedAt)
    }, done)
  })

  const bySlug = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { slug, '*': rest } = request.params as { slug: string; '*'?: string }
    if (!isSlug(slug)) return respond(reply, site.notFound(conditionsOf(request)))
    return respond(
      reply,
      site.answer(pageRequestOf(request, { slug }, `/status/${slug}`, rest === undefined ? '' : `/${rest}`)),
    )
  }
  app.route({ method: ['GET', 'POST'], url: SLUG_ROUTE, handler: bySlug })
  app.route({ method: ['GET', 'POST'], url: `${SLUG_ROUTE}/*`, handler: bySlug })
  const links = [
    ['confirm', `${LINKS_PATH}/confirm`],
    ['unsubscribe', `${LINKS_PATH}/unsubscribe`],
    ['alerts', CONFIRM_PATH],
  ] as const
  for (const [purpose, path] of links) {
    const follow = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { token } = request.params as { token: string }
      const link = { purpose, token, isSubmitted: request.method === 'POST' }
      return respond(reply, site.followEmailLink(link, conditionsOf(request)))
    }
    app.route({ method: ['GET', 'POST'], url: `${path}/:token`, handler: follow })
  }
  app.get(`${ASSETS_PATH}/:name`, { config: { isOnEveryHost: true } }, (request, reply) => {
    const { name } = request.params as { name: string }
    return respond(reply, site.stylesheet(name, conditionsOf(request)))
  })
  return site
}

const noQuery = new URLSearchParams()

function pageRequestOf(request: FastifyRequest, name: SlugOrDomain, root: string, path: string): PageRequest {
  const { url, method, headers } = request
  const mark = url.indexOf('?')
  const pageRequest = {
    name,
    root,
    path,
    query: mark === -1 ? noQuery : new URLSearchParams(url.slice(mark + 1)),
    ...conditionsOf(request),
    cookies: headers.cookie,
  }
  return method === 'POST' ? { ...pageRequest, form: formOf(request) } : pageRequest
}

function formOf(request: FastifyRequest): Form {
  return { read: () => readForm(request), address: clientAddress(request), isSecure: request.protocol === 'https' }
}

/** The custom domain that the request may be for; undefined for the hosts of the installation itself. */
function domainOf(givenHost: string, baseUrl: string): string | undefined {
  const host = givenHost.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  const isNamed = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) && host.length <= 253 && isIP(host) === 0
  return isNamed && !isReserved(host, baseUrl) ? host : undefined
}

async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const { raw, server } = request
  const limits = { maxBytes: MAX_FORM_BYTES, readsAll: true }
  const { bytes, cut } = await server.requestBodies.receive(raw, clientAddress(request), limits)
  return new URLSearchParams(cut === undefined ? bytes.toString('utf8') : '')
}
