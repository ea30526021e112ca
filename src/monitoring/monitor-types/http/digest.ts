import { createHash } from 'node:crypto'

export interface DigestCredentials {
  readonly username: string
  readonly password: string
}

const HASHES: Readonly<Record<string, string>> = { 'SHA-256': 'sha256', MD5: 'md5' }

/**
 * The Authorization header that answers a Digest challenge (RFC 7616) without a body hash, or undefined if the server offers none
 * that can be answered. SHA-256 goes before MD5.
 */
export function answerDigest(
  { username, password }: DigestCredentials,
  method: string,
  uri: string,
  challenges: string,
  cnonce: string,
): string | undefined {
  const offers = parseChallenges(challenges).filter(canAnswer)
  const offer = offers.find(({ params }) => hashOf(params)?.name === 'SHA-256') ?? offers[0]
  const hash = offer && hashOf(offer.params)
  if (offer === undefined || hash === undefined) return undefined
  const { realm = '', nonce = '', opaque, qop } = offer.params
  // Headers are read and written as Latin-1, so texts of ours are turned into their UTF-8 bytes.
  const [user, secret] = [latin1Of(username), latin1Of(password)]
  const digest = (text: string) => createHash(hash.node).update(text, 'latin1').digest('hex')
  const login = digest(`${user}:${realm}:${secret}`)
  const key = hash.isSession ? digest(`${login}:${nonce}:${cnonce}`) : login
  const subject = digest(`${method}:${uri}`)
  const response = digest(`${key}:${nonce}:${qop === undefined ? '' : `00000001:${cnonce}:auth:`}${subject}`)
  const fields = [
    `username=${quoted(user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${response}"`,
    `algorithm=${hash.name}${hash.isSession ? '-sess' : ''}`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === undefined && !hash.isSession ? [] : [`cnonce="${cnonce}"`]),
    ...(qop === undefined ? [] : ['qop=auth', 'nc=00000001']),
  ]
  return `Digest ${fields.join(', ')}`
}

interface Challenge {
  readonly scheme: string
  readonly params: Record<string, string | undefined>
}

function canAnswer({ scheme, params }: Challenge): boolean {
  const offersAuth = params.qop === undefined || /(^|[\s,])auth([\s,]|$)/i.test(params.qop)
  return scheme === 'digest' && params.nonce !== undefined && offersAuth && hashOf(params) !== undefined
}

function hashOf({ algorithm = 'MD5' }: Challenge['params']) {
  const isSession = /-sess$/i.test(algorithm)
  const name = algorithm.toUpperCase().replace(/-SESS$/, '')
  const node = Object.hasOwn(HASHES, name) ? HASHES[name] : undefined
  return node === undefined ? undefined : { name, node, isSession }
}

const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g

/** `Digest realm="a", nonce="b", Basic realm="c"`: a name without a value begins the next challenge. */
function parseChallenges(text: string): Challenge[] {
  const challenges: Challenge[] = []
  for (const [, name = '', inQuotes, plain] of text.matchAll(PART)) {
    const value = inQuotes?.replaceAll(/\\(.)/g, '$1') ?? plain
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), params: Object.create(null) })
    else if (challenges.length > 0) (challenges.at(-1) as Challenge).params[name.toLowerCase()] = value
  }
  return challenges
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1')
}
