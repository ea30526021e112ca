import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { EncodedContent } from '../../publishing/public-site/http/encoded-content.ts'
import { FOREVER, PRIVATE_CACHING } from '../../publishing/public-site/http/headers.ts'
import { sendContent } from '../responses/send-content.ts'

/** Where `npm run build` puts the dashboard. */
export const dashboardFolder = join(import.meta.dirname, '../../../dashboard/dist')

/** Paths that the dashboard's own router handles. Other paths are 404. */
const dashboardPaths = [
  '/',
  '/o/*',
  '/setup',
  '/sign-in',
  '/sign-up',
  '/confirm',
  '/confirm-email',
  '/reset-password',
  '/invitation',
] as const

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Allows only resources of this server. Other sites may not frame the dashboard; it frames only page previews. */
const documentHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

export interface DashboardFiles {
  readonly index: EncodedContent
  /** By file name, which contains a hash of the content. */
  readonly assets: ReadonlyMap<string, EncodedContent>
}

/** Reads the built dashboard into memory. Undefined if it is missing or incomplete. */
export function readDashboard(folder: string): DashboardFiles | undefined {
  try {
    const html = readFileSync(join(folder, 'index.html'))
    const index = new EncodedContent(html, types['.html'] as string, {
      'cache-control': PRIVATE_CACHING,
      ...documentHeaders,
    })
    const assets = readdirSync(join(folder, 'assets')).map((name): [string, EncodedContent] => [
      name,
      assetIn(join(folder, 'assets', name)),
    ])
    return { index, assets: new Map(assets) }
  } catch {
    return undefined
  }
}

function assetIn(file: string): EncodedContent {
  const type = types[extname(file)] ?? 'application/octet-stream'
  return new EncodedContent(readFileSync(file), type, {
    'cache-control': FOREVER,
    'x-content-type-options': 'nosniff',
  })
}

/** Serves one HTML document for all pages of the dashboard, and its assets. */
export function staticRoutes(app: FastifyInstance, { index, assets }: DashboardFiles): void {
  for (const url of dashboardPaths) {
    app.get(url, (request, reply) => sendContent(index, request, reply))
  }
  app.get('/app/assets/:name', (request, reply) => {
    const asset = assets.get((request.params as { name: string }).name)
    return asset === undefined ? reply.callNotFound() : sendContent(asset, request, reply)
  })
}
