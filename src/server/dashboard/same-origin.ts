import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

interface RequestHead {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** As the client sent it if a trusted proxy says so, else http. */
  readonly protocol: string
}

/**
 * Rejects cross-site changes (CSRF). Browsers send Sec-Fetch-Site or Origin, which pages cannot set. A change with neither is
 * rejected too: no current browser sends one.
 */
export function requireSameOrigin(request: RequestHead, baseUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || isFromOurPage(request, baseUrl)) return
  throw new ApiError('forbidden', 'This request did not come from a page of this server')
}

function isFromOurPage({ headers, protocol }: RequestHead, baseUrl: string): boolean {
  const { origin, host = '', 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site !== undefined
  const page = URL.parse(origin)
  if (page === null || page.origin !== origin) return false
  // The browser has compared the whole origins, which we cannot if a proxy does not tell us the scheme.
  if (site !== undefined && page.host === host.toLowerCase()) return true
  return isOurs(origin, `${protocol}://${host}`, new URL(baseUrl))
}

/** True for the public address, and for the one that the browser used, such as 127.0.0.1 instead of localhost. */
function isOurs(origin: string, requested: string, base: URL): boolean {
  const own = URL.parse(requested)
  // A proxy with TLS may not say so. The public address does.
  const isWithoutTls = own?.protocol === 'http:' && base.protocol === 'https:' && own.host === base.host
  return origin === base.origin || (origin === own?.origin && !isWithoutTls)
}
