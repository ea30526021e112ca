/**
 * What every page is sent with. Nothing runs, nothing is embedded, styles come from this server alone; pictures may be
 * the logo that the page's owner chose. Whatever tenants write, it stays text.
 */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** Caches may keep a page for as long as we do ourselves, and longer while we are away. */
export const PUBLIC_CACHING = 'public, max-age=2, stale-if-error=86400'
/** Asked for every time, and answered with 304 where nothing changed. */
export const PRIVATE_CACHING = 'private, no-cache'
export const NO_CACHING = 'no-store'
/** Names that have their content's hash in them. */
export const FOREVER = 'public, max-age=31536000, immutable'
