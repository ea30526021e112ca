import { harmlessHeaders } from './harmless-headers.ts'

/** Stands for a secret that the reader may not see. Sent back in a PATCH, it keeps the stored value. */
export const MASK = '***'

/**
 * How the value of a field is shown to readers who may not see secrets, in events, in exports and in log lines.
 * `plain` is shown as it is. `secret` is masked as a whole. `url` hides the user information of an address. `headers` hides
 * the values of all headers except the harmless ones.
 */
export type FieldSecrecy = 'plain' | 'secret' | 'url' | 'headers'

/** A value as readers without access to secrets see it. */
export function maskValue(secrecy: FieldSecrecy, value: unknown): unknown {
  if (secrecy === 'plain' || value === null || value === undefined) return value
  if (secrecy === 'url') return typeof value === 'string' ? maskUrl(value) : value
  if (secrecy === 'headers') return typeof value === 'object' ? maskHeaders(value) : value
  return MASK
}

// The parser of URLs ignores controls and spaces at the start. After these schemes it skips any number of slashes.
const SPECIAL_SCHEME = /^[\p{Cc}\s]*(?:https?|wss?|ftp|file):[/\\]*/iu
const OTHER_SCHEME = /^[\p{Cc}\s]*[a-z][a-z0-9+.-]*:\/\//iu
const NO_SCHEME = /^[\p{Cc}\s/\\]*/u

interface UrlParts {
  readonly before: string
  /** The user name and password, up to the last `@` of the authority. Undefined if there is no `@`. */
  readonly userInfo: string | undefined
  /** From the `@` on. */
  readonly after: string
}

/**
 * Splits a URL by the rules of the WHATWG. A text without a scheme, such as `user:password@host`, is read as https. In a text that
 * is not a URL, everything up to the last `@` counts as user information: a password in it may have unencoded delimiters.
 */
function splitUrl(text: string): UrlParts {
  const url = text.replaceAll(/[\t\n\r]/g, '')
  const special = SPECIAL_SCHEME.exec(url)
  const other = special === null ? OTHER_SCHEME.exec(url) : null
  const start = (special ?? other ?? NO_SCHEME.exec(url))?.[0].length ?? 0
  const isUrl = URL.canParse(special === null && other === null ? `https://${url.slice(start)}` : url)
  const delimiter = !isUrl ? -1 : url.slice(start).search(other === null ? /[/?#\\]/ : /[/?#]/)
  const at = url.lastIndexOf('@', delimiter === -1 ? url.length : start + delimiter)
  if (at < start) return { before: text, userInfo: undefined, after: '' }
  return { before: url.slice(0, start), userInfo: url.slice(start, at), after: url.slice(at) }
}

/** The user name and password of a URL; undefined if it has no `@` for them. */
export function userInfoOf(url: string): string | undefined {
  return splitUrl(url).userInfo
}

/** Hides the user information of a URL. */
export function maskUrl(url: string): string {
  return replaceUserInfo(url, () => MASK)
}

/** The URL with another text in place of its user name and password, if it has some. */
export function replaceUserInfo(url: string, replace: (userInfo: string) => string): string {
  const { before, userInfo, after } = splitUrl(url)
  return userInfo === undefined || userInfo === '' ? url : `${before}${replace(userInfo)}${after}`
}

/** The URL with the user information of `stored` if its own is masked. Undefined if `stored` has none, or only a part is masked. */
export function unmaskUrl(url: string, stored: string | null): string | undefined {
  const { before, userInfo = '', after } = splitUrl(url)
  if (userInfo !== MASK) return userInfo.endsWith(`:${MASK}`) ? undefined : url
  const kept = userInfoOf(stored ?? '')
  return kept === undefined ? undefined : `${before}${kept}${after}`
}

/** Of a URL that is secret as a whole, enough to recognize it: the host and, of a long path, the last four characters. */
export function shortenUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  const rest = `${pathname}${search}`
  return rest === '/' ? origin : `${origin}/…${rest.length >= 16 ? rest.slice(-4) : ''}`
}

function maskHeaders(headers: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, harmlessHeaders.has(name.toLowerCase()) ? value : MASK]),
  )
}
