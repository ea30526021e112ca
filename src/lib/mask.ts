import { harmlessHeaders } from './harmless-headers.ts'

/** Stands for a secret that the reader may not see. Sent back in a PATCH, it keeps the stored value. */
export const MASK = '***'

/**
 * How the value of a field is shown to readers who may not see secrets, in events, in exports and in log lines.
 * `plain` is shown as it is. `secret` is masked as a whole. `url` hides the password of an address. `headers` hides the
 * values of all headers except the harmless ones.
 */
export type FieldSecrecy = 'plain' | 'secret' | 'url' | 'headers'

/** A value as readers without access to secrets see it. */
export function maskValue(secrecy: FieldSecrecy, value: unknown): unknown {
  if (secrecy === 'plain' || value === null || value === undefined) return value
  if (secrecy === 'url') return typeof value === 'string' ? maskUrl(value) : value
  if (secrecy === 'headers') return typeof value === 'object' ? maskHeaders(value) : value
  return MASK
}

const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\\:@]*:)([^/?#\\]*)(@)/i

/** Hides the password in `scheme://user:password@host`. Works on text, so that an invalid address is masked as well. */
export function maskUrl(url: string): string {
  return url.replace(PASSWORD, (_, before, password, at) => `${before}${password === '' ? '' : MASK}${at}`)
}

/** The address with the password of `stored` if its own is masked. Undefined if `stored` has none. */
export function unmaskUrl(url: string, stored: string | null): string | undefined {
  if (PASSWORD.exec(url)?.[2] !== MASK) return url
  const password = PASSWORD.exec(stored ?? '')?.[2]
  return password === undefined ? undefined : url.replace(PASSWORD, (_, before, _mask, at) => before + password + at)
}

function maskHeaders(headers: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, harmlessHeaders.has(name.toLowerCase()) ? value : MASK]),
  )
}
