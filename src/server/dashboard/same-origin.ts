import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

interface RequestHead {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Rejects cross-site changes (CSRF). Browsers send Sec-Fetch-Site or Origin, which pages cannot set. A change with neither is
 * rejected too: no current browser sends one.
 */
export function requireSameOrigin({ method, headers }: RequestHead, baseUrl: string): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOurSite = site === undefined || site === 'same-origin'
  const isOurOrigin = origin === undefined || isOurs(origin, host, baseUrl)
  if (isOurSite && isOurOrigin && !(site === undefined && origin === undefined)) return
  throw new ApiError('forbidden', 'This request did not come from a page of this server')
}

/** True for the public address, and for the host that the browser used, such as 127.0.0.1 instead of localhost. */
function isOurs(origin: string, host: string | undefined, baseUrl: string): boolean {
  const url = URL.parse(origin)
  if (url === null || url.origin !== origin) return false
  return origin === new URL(baseUrl).origin || (host !== undefined && url.host === host.toLowerCase())
}
