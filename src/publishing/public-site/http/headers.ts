import { localTimeScriptHash } from '../markup/local-time.ts'

/**
 * Sent with every page. No frames, and no script but the switch to local time; stylesheets only from this server; images also from https URLs, for the
 * logo. Together with escaping this keeps text written by tenants harmless.
 */
export const securityHeaders = {
  'content-security-policy':
    `default-src 'none'; script-src '${localTimeScriptHash}'; style-src 'self'; ` +
    "img-src 'self' https: data:; form-action 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** Shared caches may keep a page as long as the page cache does (FRESH_MS), and for a day if this server fails. */
export const PUBLIC_CACHING = 'public, max-age=2, stale-if-error=86400'
/** Revalidated on every request. */
export const PRIVATE_CACHING = 'private, no-cache'
export const NO_CACHING = 'no-store'
/** For files whose name contains a hash of the content. */
export const FOREVER = 'public, max-age=31536000, immutable'
