import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

type Mode = 'disable' | 'no-verify' | 'verify-ca' | 'verify-full'

/** How connections are encrypted, as DATABASE_URL says. The driver's own reading of these parameters is not used. */
export interface TlsSettings {
  readonly mode: Mode
  /** Paths, which are read for each connection, because certificates are renewed. */
  readonly rootCert: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly password: string | undefined
}

/** libpq would fall back to an unencrypted connection with these. */
const FALLING_BACK = ['allow', 'prefer']

const modes: Readonly<Record<string, Mode>> = {
  disable: 'disable',
  'no-verify': 'no-verify',
  // libpq verifies nothing here, so anyone in between could answer.
  require: 'verify-full',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
}

/** Of some drivers. */
const flags: Readonly<Record<string, Mode>> = { true: 'verify-full', 1: 'verify-full', false: 'disable', 0: 'disable' }

const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const
const KNOWN: readonly string[] = ['sslmode', 'ssl', 'sslpassword', ...FILES]
/** The driver reads it. */
const NEGOTIATION = 'sslnegotiation'
/** Authorities that Node trusts. */
const SYSTEM = 'system'

export function isTlsParameter(name: string): boolean {
  return KNOWN.includes(name)
}

/** Refuses what would be ignored: a misspelt parameter must not end in an unencrypted connection. */
export function readTls(parameters: ReadonlyMap<string, string>): TlsSettings {
  for (const name of parameters.keys()) {
    if (!/^(require)?ssl/i.test(name) || KNOWN.includes(name) || name === NEGOTIATION) continue
    // Of a password with an unencoded "?" nothing is shown.
    const shown = /^\w+$/.test(name) ? `the parameter ${name}` : 'a parameter'
    throw new Error(`${shown} is not supported; those of TLS are ${[...KNOWN, NEGOTIATION].join(', ')}`)
  }
  const [rootCert, cert, key] = FILES.map((name) => parameters.get(name) || undefined)
  const settings = { rootCert, cert, key, password: parameters.get('sslpassword') }
  const mode =
    modeOf(parameters.get('sslmode'), parameters.get('ssl')) ?? (rootCert || cert ? 'verify-full' : 'disable')
  if (mode === 'verify-ca' && (rootCert === undefined || rootCert === SYSTEM)) {
    throw new Error('sslmode=verify-ca needs the certificate of your authority in sslrootcert; or use verify-full')
  }
  if ((cert === undefined) !== (key === undefined)) throw new Error('sslcert and sslkey are only useful together')
  return { mode, ...settings }
}

function modeOf(mode: string | undefined, flag: string | undefined): Mode | undefined {
  if (mode !== undefined) {
    const known = modes[mode]
    if (known !== undefined) return known
    const list = Object.keys(modes).join(', ')
    if (!FALLING_BACK.includes(mode)) throw new Error(`sslmode must be one of ${list}`)
    throw new Error(`sslmode=${mode} may end in an unencrypted connection; use one of ${list}`)
  }
  if (flag === undefined) return undefined
  const known = flags[flag]
  if (known === undefined) throw new Error('ssl must be true or false; better use sslmode')
  return known
}

/** For the driver. */
export function tlsOptions({ mode, rootCert, cert, key, password }: TlsSettings): ConnectionOptions | false {
  if (mode === 'disable') return false
  return {
    rejectUnauthorized: mode !== 'no-verify',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(rootCert !== undefined && rootCert !== SYSTEM && { ca: read('sslrootcert', rootCert) }),
    ...(cert !== undefined && { cert: read('sslcert', cert) }),
    ...(key !== undefined && { key: read('sslkey', key) }),
    ...(password !== undefined && { passphrase: password }),
  }
}

function read(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
  if (!text.includes('-----BEGIN ')) throw new Error(`${name}: ${path} is not a PEM file`)
  return text
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Why no encrypted connection was made, with what to do; undefined for other errors. Nothing was sent to the server then. */
export function tlsFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, message } = error as NodeJS.ErrnoException
  if (message === 'The server does not support SSL connections') {
    return 'the server refuses TLS, which sslmode asks for. Enable TLS there; if it is enabled, something in between removes it'
  }
  if (message === 'There was an error establishing an SSL connection') {
    return 'the server did not answer the request for TLS as PostgreSQL does'
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const reason = message.replace(/^.*?altnames: /, '').replace(/[:\s]+$/, '')
    return `the certificate of the server is for another host (${reason})`
  }
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the server has expired'
  if (UNTRUSTED.has(code ?? '')) {
    // Without Node's advice, which follows a semicolon.
    return `the certificate of the server is not trusted (${message.split(';', 1)[0]}); name the certificate of its authority with sslrootcert`
  }
  return undefined
}
