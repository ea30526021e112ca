import { createServer as createHttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyError, type FastifyInstance, fastify } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { newId } from '../lib/ids.ts'
import { JSON_TYPE, sendError } from './api/respond.ts'
import { API_PREFIX, apiRoutes, fail } from './api/routes.ts'
import { APP_PREFIX, type DashboardOptions, dashboardRoutes } from './dashboard/routes.ts'
import { type DashboardFiles, shellRoutes } from './dashboard/static-files.ts'
import { heartbeatRoutes } from './public/heartbeats.ts'
import { appDocument } from './operations/openapi/app-document.ts'
import { openApiDocument } from './operations/openapi/document.ts'
import { statusPages } from './public/status-pages.ts'
import { answerBroken, answerUnroutable, catchStrays } from './api/malformed-requests.ts'

export interface ServerOptions extends DashboardOptions {
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[]
  /** Whether there is a mail server to tell the readers of status pages with. */
  readonly canMail: boolean
  /** The dashboard as it was built; undefined where it was not. */
  readonly dashboard: DashboardFiles | undefined
  /** How long the head of a request may take to arrive. */
  readonly headersTimeoutMs: number
  /** Resolves when this node can serve; rejects with the reason when it cannot. */
  readonly checkReady: () => Promise<void>
}

/** Room for the longest address and headers that an honest client sends. */
const MAX_HEADER_BYTES = 16 * 1024
const KEEP_ALIVE_MS = 60_000

function unused(): never {
  throw new Error('No route has a schema of the framework')
}

/** The HTTP server: the public API, the dashboard's, their documents, status pages, and the health endpoints. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { clock, headersTimeoutMs, bodyTimeoutMs, trustProxy } = options
  const app = fastify({
    logger: false,
    genReqId: () => newId('req', clock.now()),
    requestIdHeader: false,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    // The pipeline answers an over-long id itself: as not found.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    // Operations validate and render by themselves (see contract/); the framework's own ways would be loaded for nothing.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => void answerBroken(options, error, socket as Socket),
    frameworkErrors: (_error, request, reply) => void answerUnroutable(options, request, reply),
    serverFactory: (handler) => {
      const server = createHttpServer(
        {
          // Refusals must carry our headers, so ours is the only voice.
          requireHostHeader: false,
          maxHeaderSize: MAX_HEADER_BYTES,
          headersTimeout: headersTimeoutMs,
          // The body has a timer of its own; this ends what that one cannot see.
          requestTimeout: bodyTimeoutMs + headersTimeoutMs,
          connectionsCheckingInterval: Math.ceil(headersTimeoutMs / 5),
          keepAliveTimeout: KEEP_ALIVE_MS,
        },
        handler,
      )
      catchStrays(server)
      return server
    },
  })
  // The framework reads no bodies: whoever wants one reads it, and a path that is not there has no use for any.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    // A method that Node can read and the framework does not know.
    error.code === 'FST_ERR_NOT_FOUND'
      ? answerUnroutable(options, request, reply)
      : fail(options, error, request, reply),
  )
  app.setNotFoundHandler((request, reply) => {
    // CONNECT names a host, OPTIONS may name *: these are no paths, and no part of the server is theirs.
    if (!/^(\/|https?:\/\/)/i.test(request.url)) return answerUnroutable(options, request, reply)
    return sendError(reply, new ApiError('not_found', 'There is nothing here'), request.id, {})
  })
  const pages = statusPages(app, options)
  const changed = (orgId: string): void => {
    pages.changed(orgId)
    options.changed(orgId)
  }
  app.register(async (api) => apiRoutes(api, { ...options, changed }), { prefix: API_PREFIX })
  app.register(async (dashboard) => dashboardRoutes(dashboard, { ...options, changed }), { prefix: APP_PREFIX })
  const { dashboard } = options
  if (dashboard !== undefined) app.register(async (shell) => shellRoutes(shell, dashboard))
  app.register(async (beats) => heartbeatRoutes(beats, options))
  app.register(async (open) => openRoutes(open, options))
  return app
}

/** What needs no key: it holds no data. */
async function openRoutes(app: FastifyInstance, options: ServerOptions): Promise<void> {
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(options.operations, options.installation.baseUrl))
    return reply.type(JSON_TYPE).send(document)
  })
  let ofDashboard: string | undefined
  app.get(`${APP_PREFIX}/openapi.json`, (_request, reply) => {
    ofDashboard ??= JSON.stringify(appDocument(options.appOperations, options.installation.baseUrl))
    return reply.type(JSON_TYPE).send(ofDashboard)
  })
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async (_request, reply) => {
    try {
      await options.checkReady()
      return { status: 'ready' }
    } catch (error) {
      return reply.code(503).send({ status: 'not ready', reason: (error as Error).message })
    }
  })
}
