import { t } from '../../lib/i18n.ts'

/** How a request authenticates itself. It is stored as a request header. */
export type Auth =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }

/** Headers that carry nothing but credentials. */
const credentialHeaders = ['x-api-key', 'api-key', 'x-auth-token', 'private-token', 'x-access-token']

interface Line {
  readonly name: string
  readonly value: string
}

function parse(line: string): Line {
  const at = line.indexOf(':')
  return at < 1 ? { name: '', value: '' } : { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }
}

/** The preset that the headers (one "Name: value" per line) correspond to. */
export function authIn(headers: string): Auth {
  for (const { name, value } of headers.split('\n').map(parse)) {
    if (credentialHeaders.includes(name.toLowerCase())) return { kind: 'header', name, value }
    if (name.toLowerCase() !== 'authorization') continue
    const [, scheme = '', credentials = ''] = /^(\S+)\s+(.*)$/.exec(value) ?? []
    if (scheme.toLowerCase() === 'bearer') return { kind: 'bearer', token: credentials }
    const pair = scheme.toLowerCase() === 'basic' ? decode(credentials) : null
    if (pair !== null)
      return { kind: 'basic', user: pair.split(':', 1)[0] ?? '', password: pair.slice(pair.indexOf(':') + 1) }
    return { kind: 'header', name, value }
  }
  return { kind: 'none' }
}

/** The headers with `next` in the place of `before`. */
export function withAuth(headers: string, before: Auth, next: Auth): string {
  const replaced = headerNameOf(before).toLowerCase()
  const lines = headers.split('\n').filter((line) => line.trim() !== '')
  const at = lines.findIndex((line) => replaced !== '' && parse(line).name.toLowerCase() === replaced)
  const line = lineOf(next)
  const rest = at === -1 ? lines : lines.toSpliced(at, 1)
  return (line === null ? rest : rest.toSpliced(at === -1 ? rest.length : at, 0, line)).join('\n')
}

function headerNameOf(auth: Auth): string {
  if (auth.kind === 'none') return ''
  return auth.kind === 'header' ? auth.name : t('Authorization')
}

/** Null while nothing is filled in. */
function lineOf(auth: Auth): string | null {
  switch (auth.kind) {
    case 'none':
      return null
    case 'basic':
      return auth.user === '' && auth.password === ''
        ? null
        : t('Authorization: Basic {encode}', { encode: encode(`${auth.user}:${auth.password}`) })
    case 'bearer':
      return auth.token === '' ? null : t('Authorization: Bearer {value}', { value: auth.token.trim() })
    case 'header':
      return auth.name.trim() === '' || auth.value === '' ? null : `${auth.name.trim()}: ${auth.value}`
  }
}

/** UTF-8, as RFC 7617 recommends. */
function encode(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** Null if it is not Base64 of "user:password". */
function decode(text: string): string | null {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
    )
    return decoded.includes(':') ? decoded : null
  } catch {
    return null
  }
}
