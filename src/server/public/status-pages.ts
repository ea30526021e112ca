import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { LINKS_PATH } from '../../notifications/subscribers/links.ts'
import { ASSETS_PATH } from '../../publishing/public-site/styles/stylesheets.ts'
import type { Answer, Conditions } from '../../publishing/public-site/http/response.ts'
import type { Name } from '../../publishing/public-site/queries/pages.ts'
import { type Form, Site, type Visit } from '../../publishing/public-site/site.ts'
import { targetOf } from '../../publishing/public-site/targets.ts'
import { isSlug } from '../../publishing/status-pages/slug.ts'
import { API_PREFIX, type ApiOptions, addressOf } from '../api/routes.ts'

/** A password and its name; whoever sends more than this is not filling in our form. */
const MOST_FORM_BYTES = 4096

declare module 'fastify' {
  interface FastifyContextConfig {
    isDashboard?: boolean
  }
}

type Parts = Pick<ApiOptions, 'database' | 'sealer' | 'installation' | 'clock' | 'log' | 'metrics'> & {
  /** Whether there is a mail server to tell readers with. */
  readonly canMail: boolean
}

/**
 * The public status pages: below /status/SLUG, and on the domains of their own. What came in on a domain that is no
 * page's is served as if there were no pages.
 */
export function statusPages(app: FastifyInstance, parts: Parts): Site {
  const { database, sealer, installation, clock, log, metrics, canMail } = parts
  const site = new Site({ database, sealer, clock, log, canMail, baseUrl: () => installation.baseUrl })
  const write = (reply: FastifyReply, answer: Answer, startedAt: number): void => {
    reply.hijack()
    reply.raw.writeHead(answer.status, answer.headers as string[]).end(answer.body)
    metrics.requests.observe('statusPage', answer.status, (performance.now() - startedAt) / 1000)
  }
  const respond = (reply: FastifyReply, answer: Soon<Answer>): Soon<void> => {
    const startedAt = performance.now()
    return whenReady(answer, (ready) => write(reply, ready, startedAt))
  }

  app.addHook('onRequest', (request, reply, done) => {
    const domain = domainOf(request, installation.baseUrl)
    if (domain === undefined) return done()
    const visit = visitOf(request, { domain }, '', pathOf(request.url))
    // On a domain of a page the dashboard is not at home.
    const isOurs = !request.is404 && request.routeOptions.config.isDashboard !== true
    if (targetOf(visit.path, visit.query) === undefined && isOurs) return done()
    const startedAt = performance.now()
    const settle = (answer: Answer | undefined): void => {
      if (answer === undefined) done()
      else write(reply, answer, startedAt)
    }
    const answer = site.answer(visit, 'nothing')
    if (answer instanceof Promise) answer.then(settle, done)
    else settle(answer)
  })

  const bySlug = (request: FastifyRequest, reply: FastifyReply): Soon<void> => {
    const { slug, '*': rest } = request.params as { slug: string; '*'?: string }
    // What is written in another way is nobody's.
    if (!isSlug(slug)) return respond(reply, site.missing(conditionsOf(request)))
    return respond(
      reply,
      site.answer(visitOf(request, { slug }, `/status/${slug}`, rest === undefined ? '' : `/${rest}`)),
    )
  }
  app.route({ method: ['GET', 'POST'], url: '/status/:slug', handler: bySlug })
  app.route({ method: ['GET', 'POST'], url: '/status/:slug/*', handler: bySlug })
  for (const purpose of ['confirm', 'unsubscribe'] as const) {
    const follow = (request: FastifyRequest, reply: FastifyReply): Soon<void> => {
      const { token } = request.params as { token: string }
      const followed = { purpose, token, isPressed: request.method === 'POST' }
      return respond(reply, site.follow(followed, conditionsOf(request)))
    }
    app.route({ method: ['GET', 'POST'], url: `${LINKS_PATH}/${purpose}/:token`, handler: follow })
  }
  app.get(`${ASSETS_PATH}/:name`, (request, reply) => {
    const { name } = request.params as { name: string }
    return respond(reply, site.sheet(name, conditionsOf(request)))
  })
  return site
}

function acceptedBy({ headers }: FastifyRequest): string | undefined {
  const accepted = headers['accept-encoding']
  return Array.isArray(accepted) ? accepted.join(',') : accepted
}

export function conditionsOf(request: FastifyRequest): Conditions {
  return { acceptEncoding: acceptedBy(request), ifNoneMatch: request.headers['if-none-match'] }
}

const noQuery = new URLSearchParams()

function visitOf(request: FastifyRequest, name: Name, root: string, path: string): Visit {
  const { url, method, headers } = request
  const mark = url.indexOf('?')
  const visit = {
    ...{ name, root, path },
    query: mark === -1 ? noQuery : new URLSearchParams(url.slice(mark + 1)),
    ...conditionsOf(request),
    cookies: headers.cookie,
  }
  return method === 'POST' ? { ...visit, form: formOf(request) } : visit
}

function formOf(request: FastifyRequest): Form {
  return { read: () => readForm(request), address: addressOf(request), isSecure: request.protocol === 'https' }
}

/** The path of an address, which a request may also name as a whole. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, '').split('?', 1)[0] as string
}

/** The domain that a request may be for a page on; undefined where it is this installation's own business. */
function domainOf(request: FastifyRequest, baseUrl: string): string | undefined {
  const { url, method } = request
  if (url.startsWith(API_PREFIX) || url.startsWith('/status/')) return undefined
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return undefined
  const host = request.hostname.toLowerCase().replace(/\.$/, '')
  const isNamed = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) && host.length <= 253 && isIP(host) === 0
  return isNamed && host !== hostOf(baseUrl) ? host : undefined
}

let latestBase = ''
let latestHost = ''

/** An installation has one address, so this is worked out once. */
function hostOf(baseUrl: string): string {
  if (baseUrl !== latestBase) {
    latestHost = new URL(baseUrl).hostname
    latestBase = baseUrl
  }
  return latestHost
}

async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.raw as AsyncIterable<Buffer>) {
    size += chunk.length
    // The rest is heard out and dropped, within the time that every request has.
    if (size <= MOST_FORM_BYTES) chunks.push(chunk)
  }
  return new URLSearchParams(size <= MOST_FORM_BYTES ? Buffer.concat(chunks).toString('utf8') : '')
}
