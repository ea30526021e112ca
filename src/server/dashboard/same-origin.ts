import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

interface Sent {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Refuses changes that another site makes a browser send along with our cookie. Browsers say where a request comes from in
 * headers that no page can set; a request that says nothing is none of a browser of this decade, and is refused as well.
 */
export function requireSameOrigin({ method, headers }: Sent, baseUrl: string): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOurSite = site === undefined || site === 'same-origin'
  const isOurOrigin = origin === undefined || isOurs(origin, host, baseUrl)
  if (isOurSite && isOurOrigin && !(site === undefined && origin === undefined)) return
  throw new ApiError('forbidden', 'This request did not come from a page of this server')
}

/** The public address, or the one that the browser itself used, such as 127.0.0.1 for localhost. */
function isOurs(origin: string, host: string | undefined, baseUrl: string): boolean {
  const url = URL.parse(origin)
  if (url === null || url.origin !== origin) return false
  return origin === new URL(baseUrl).origin || (host !== undefined && url.host === host.toLowerCase())
}
