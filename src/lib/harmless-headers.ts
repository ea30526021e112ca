/**
 * Names of request headers, in lower case, whose values are not secret by convention. Only these are shown to readers who may
 * not see secrets, and sent to another origin after a redirect. Every other header may carry a credential (`X-API-Key`).
 */
export const harmlessHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-language',
  'content-type',
  'dnt',
  'pragma',
  'range',
  'upgrade-insecure-requests',
  'user-agent',
])
