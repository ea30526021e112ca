import type { Socket } from 'node:net'
import { type FastifyError, type FastifyInstance, fastify } from 'fastify'
import { documentSchema } from '../configuration/json-schema.ts'
import { http } from '../lib/http.ts'
import { newId } from '../lib/ids.ts'
import { once } from '../lib/once.ts'
import type { AddressPolicy } from '../outbound/address-policy.ts'
import { EncodedContent } from '../publishing/public-site/http/encoded-content.ts'
import { fail } from './api/fail.ts'
import {
  answerMalformed,
  answerUnroutable,
  handleUnroutedRequests,
  isBelowApi,
  refuseUnknownPath,
} from './api/malformed-requests.ts'
import { documentRoute, isDocumentPath, readDocument, refuseMethod } from './api/open-document.ts'
import { RequestBodies } from './api/request-bodies.ts'
import { requireOneHost } from './api/request-headers.ts'
import { JSON_TYPE } from './api/respond.ts'
import { API_PREFIX, apiRoutes } from './api/routes.ts'
import { UPLOAD_TIMEOUT_MS } from './api/upload-body.ts'
import { APP_PREFIX, type DashboardOptions, dashboardRoutes } from './dashboard/routes.ts'
import { type DashboardFiles, staticRoutes } from './dashboard/static-files.ts'
import { bodyMetrics, responseMetrics } from './metrics/metrics.ts'
import { heartbeatRoutes } from './public/heartbeats.ts'
import { legacyAddressRoutes } from './public/legacy-addresses.ts'
import { answerNotFound } from './public/not-found.ts'
import { statusPageRoutes } from './public/status-pages.ts'
import { tlsAskRoute } from './public/tls-ask.ts'
import { referenceRoutes } from './reference/routes.ts'
import { dropStalledReaders } from './responses/drop-stalled-readers.ts'
import { ListTurns } from './responses/list-turns.ts'
import { PendingResponses } from './responses/pending-responses.ts'
import { sendContent } from './responses/send-content.ts'

export interface ServerOptions extends DashboardOptions {
  /** Addresses that visitors of status pages may subscribe. */
  readonly subscriberPolicy: AddressPolicy
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[]
  /** The header that names the host and with it the status page, in lower case. */
  readonly hostHeader: string
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Undefined if the dashboard is not built. */
  readonly dashboard: DashboardFiles | undefined
  /** Time for a client to send the request headers. */
  readonly headersTimeoutMs: number
  /** Bounds for clients that do not read responses; smaller in tests. */
  readonly slowReaders?: SlowReaderLimits
  /** Rejects with the reason if this node cannot serve. */
  readonly checkReady: () => Promise<void>
}

export interface SlowReaderLimits {
  /** After how long without progress a connection is closed. */
  readonly stallMs?: number
  /** Memory of all responses that wait for their readers. */
  readonly maxPendingBytes?: number
}

const MAX_HEADER_BYTES = 16 * 1024
const KEEP_ALIVE_MS = 60_000

function unused(): never {
  throw new Error('Routes do not use Fastify schemas')
}

/** The HTTP server: the public API and its reference, the dashboard and its API, OpenAPI documents, status pages, heartbeats, health. */
export function createServer(given: ServerOptions): FastifyInstance {
  const options = { ...given, database: given.database.forRequests() }
  const { clock, headersTimeoutMs, bodyTimeoutMs, trustProxy } = options
  const app = fastify({
    logger: false,
    genReqId: () => newId('req', clock.now()),
    requestIdHeader: false,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    // Over-long ids reach the operations, which answer 404.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    // Operations validate with TypeBox (contract/validate.ts). Not loading Fastify's Ajv saves memory and start-up time.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => void answerMalformed(options, error, socket as Socket),
    frameworkErrors: (_error, request, reply) => void answerUnroutable(options, request, reply),
    serverFactory: (handler) => {
      const server = http.createServer(
        {
          // Disables Node's own 400, which lacks our headers.
          requireHostHeader: false,
          maxHeaderSize: MAX_HEADER_BYTES,
          headersTimeout: headersTimeoutMs,
          // For uploads. Other bodies have shorter timers: those of operations while they are read, and closeUnread.
          requestTimeout: UPLOAD_TIMEOUT_MS,
          connectionsCheckingInterval: Math.ceil(headersTimeoutMs / 5),
          keepAliveTimeout: KEEP_ALIVE_MS,
        },
        handler,
      )
      handleUnroutedRequests(server)
      return server
    },
  })
  boundSlowReaders(app, options)
  boundRequestBodies(app, options)
  closeUnread(app, bodyTimeoutMs)
  // Fastify reads no bodies; api/request-bodies.ts does.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    // A method that Node's parser knows and Fastify does not.
    error.code === 'FST_ERR_NOT_FOUND'
      ? answerUnroutable(options, request, reply)
      : fail(options, error, request, reply),
  )
  app.setNotFoundHandler((request, reply) => {
    // The target of CONNECT is a host and that of OPTIONS may be `*`.
    if (!/^(\/|https?:\/\/)/i.test(request.url)) return answerUnroutable(options, request, reply)
    if (isBelowApi(request.url)) return refuseUnknownPath(options, request)
    if (isDocumentPath(request.url)) return refuseMethod(options, request)
    return answerNotFound(pages, request, reply)
  })
  // On Node's response, because many answers are written without Fastify's reply. Those below /api have headers of their own.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(APP_PREFIX)) reply.raw.setHeader('x-content-type-options', 'nosniff')
    done()
  })
  // Before the Host chooses a status page. The API checks it after the key.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isBelowApi(request.url)) requireOneHost(request.raw)
    done()
  })
  const pages = statusPageRoutes(app, options)
  const changed = (orgId: string): void => {
    pages.changed(orgId)
    options.onChange(orgId)
  }
  app.register(async (api) => apiRoutes(api, { ...options, onChange: changed }), { prefix: API_PREFIX })
  app.register(async (dashboard) => dashboardRoutes(dashboard, { ...options, onChange: changed }), {
    prefix: APP_PREFIX,
  })
  const document = once(() => readDocument('openapi.json', options.installation.baseUrl))
  const { dashboard } = options
  if (dashboard !== undefined) app.register(async (files) => staticRoutes(files, dashboard))
  app.register(async (reference) => referenceRoutes(reference, () => JSON.parse(document().toString())))
  app.register(async (heartbeats) => heartbeatRoutes(heartbeats, options))
  app.register(async (heartbeats) => legacyAddressRoutes(heartbeats, options))
  app.register(async (proxies) => tlsAskRoute(proxies, options))
  app.register(async (open) => documentRoute(open, options, document))
  app.register(async (open) => openRoutes(open, options))
  return app
}

function boundSlowReaders(app: FastifyInstance, { slowReaders = {}, metrics }: ServerOptions): void {
  const { stallMs, maxPendingBytes } = slowReaders
  const counters = responseMetrics(metrics.registry, () => responses.bytes)
  const responses = new PendingResponses({
    ...(maxPendingBytes !== undefined && { maxBytes: maxPendingBytes }),
    onDrop: counters.displaced,
  })
  app.decorate('pendingResponses', responses)
  app.decorate('listTurns', new ListTurns())
  const stop = dropStalledReaders(app.server, counters.stalled, stallMs)
  app.addHook('onClose', async () => stop())
}

function boundRequestBodies(app: FastifyInstance, { metrics }: ServerOptions): void {
  const refused = bodyMetrics(metrics.registry, () => bodies.bytes)
  const bodies = new RequestBodies(refused)
  app.decorate('requestBodies', bodies)
}

/** Closes connections on which the rest of a body is still arriving long after its response. */
function closeUnread(app: FastifyInstance, timeoutMs: number): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return
    const timer = setTimeout(() => raw.destroy(), timeoutMs)
    raw.once('close', () => clearTimeout(timer))
  })
}

/** The document of the dashboard's API, the schema of configuration documents and health, without authentication. */
async function openRoutes(app: FastifyInstance, options: ServerOptions): Promise<void> {
  const document = once(() => readDocument('openapi-app.json', options.installation.baseUrl))
  app.get(`${APP_PREFIX}/openapi.json`, (_request, reply) => reply.type(JSON_TYPE).send(document()))
  const schema = once(() => {
    const text = Buffer.from(JSON.stringify(documentSchema()))
    return new EncodedContent(text, 'application/schema+json', { 'cache-control': 'no-cache' })
  })
  app.get('/schema/configuration.json', (request, reply) => sendContent(schema(), request, reply))
  // Load balancers may ask with the name of any domain.
  const config = { isOnEveryHost: true }
  app.get('/healthz', { config }, async () => ({ status: 'alive' }))
  app.get('/readyz', { config }, async (_request, reply) => {
    try {
      await options.checkReady()
      return { status: 'ready' }
    } catch (error) {
      return reply.code(503).send({ status: 'not ready', reason: (error as Error).message })
    }
  })
}
