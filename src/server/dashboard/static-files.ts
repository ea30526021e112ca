import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { whenReady } from '../../lib/soon.ts'
import { deliver } from '../../publishing/public-site/http/response.ts'
import { Encoded } from '../../publishing/public-site/http/encoded-content.ts'
import { FOREVER, PRIVATE_CACHING } from '../../publishing/public-site/http/headers.ts'
import { conditionsOf } from '../public/status-pages.ts'

/** Where `npm run build` puts the dashboard. */
export const dashboardFolder = join(import.meta.dirname, '../../../dashboard/dist')

/** The addresses at which the dashboard finds its way by itself. What is not here is nothing, and says so. */
export const dashboardPaths = [
  '/',
  '/o/*',
  '/setup',
  '/sign-in',
  '/sign-up',
  '/confirm',
  '/reset-password',
  '/invitation',
] as const

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Scripts, styles and requests of this server and nothing else; nobody may frame it, and it frames only our own previews. */
const shellHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

export interface DashboardFiles {
  readonly index: Encoded
  /** By name; each name has its content's hash in it. */
  readonly assets: ReadonlyMap<string, Encoded>
}

/** What was built, read once: it is small, and a new one comes with a new start. Undefined where nothing, or not all, was. */
export function readDashboard(folder: string): DashboardFiles | undefined {
  try {
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const index = new Encoded(html, types['.html'] as string, { 'cache-control': PRIVATE_CACHING, ...shellHeaders })
    const assets = readdirSync(join(folder, 'assets')).map((name): [string, Encoded] => [
      name,
      assetIn(join(folder, 'assets', name)),
    ])
    return { index, assets: new Map(assets) }
  } catch {
    return undefined
  }
}

function assetIn(file: string): Encoded {
  const type = types[extname(file)] ?? 'application/octet-stream'
  return new Encoded(readFileSync(file, 'utf8'), type, {
    'cache-control': FOREVER,
    'x-content-type-options': 'nosniff',
  })
}

/** The pages of the dashboard: one document for all of them, and what it is made of. */
export function shellRoutes(app: FastifyInstance, { index, assets }: DashboardFiles): void {
  for (const url of dashboardPaths) {
    app.get(url, { config: { isDashboard: true } }, (request, reply) => send(index, request, reply))
  }
  app.get('/app/assets/:name', (request, reply) => {
    const asset = assets.get((request.params as { name: string }).name)
    return asset === undefined ? reply.callNotFound() : send(asset, request, reply)
  })
}

function send(content: Encoded, request: FastifyRequest, reply: FastifyReply) {
  return whenReady(deliver(content, conditionsOf(request)), ({ status, headers, body }) => {
    reply.hijack()
    reply.raw.writeHead(status, headers as string[]).end(body)
  })
}
