import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate with its key, in the PEM that node:tls takes; `cert` may hold a chain. */
export interface Credentials {
  readonly cert: string
  readonly key: string
}

export interface LeafOptions {
  /** DNS names and IPv4 addresses of the certificate. */
  readonly hosts: readonly string[]
  readonly validFrom?: Date
  readonly validTo?: Date
}

export interface Authority {
  /** The authority's own certificate, PEM. */
  readonly cert: string
  issue(options: LeafOptions): Credentials
  /** An authority below this one. */
  intermediate(name: string): Authority
}

export const DAY_MS = 86_400_000

/** A certificate authority for a test. */
export function makeAuthority(name: string): Authority {
  const keys = newKeys()
  return authority(name, keys, certificate({ issuer: name, signer: keys.privateKey, subject: name, keys, isCa: true }))
}

export function makeSelfSigned({ hosts, ...validity }: LeafOptions): Credentials {
  const keys = newKeys()
  const subject = hosts[0] ?? 'nobody'
  const cert = certificate({ issuer: subject, signer: keys.privateKey, subject, keys, isCa: false, hosts, ...validity })
  return { cert, key: pemOf(keys.privateKey) }
}

function authority(name: string, own: Keys, cert: string): Authority {
  const signed = (subject: string, keys: Keys, rest: { isCa: boolean } & Partial<LeafOptions>) =>
    certificate({ issuer: name, signer: own.privateKey, subject, keys, ...rest })
  return {
    cert,
    issue({ hosts, ...validity }) {
      const keys = newKeys()
      return {
        cert: signed(hosts[0] ?? 'nobody', keys, { isCa: false, hosts, ...validity }),
        key: pemOf(keys.privateKey),
      }
    },
    intermediate(below) {
      const keys = newKeys()
      return authority(below, keys, signed(below, keys, { isCa: true }))
    },
  }
}

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

interface Contents extends Partial<LeafOptions> {
  readonly issuer: string
  readonly signer: KeyObject
  readonly subject: string
  readonly keys: Keys
  readonly isCa: boolean
}

/** Encodes X.509 (RFC 5280): node:crypto reads certificates but cannot create them. */
function certificate(contents: Contents): string {
  const { issuer, signer, subject, keys, isCa, hosts = [] } = contents
  const { validFrom = new Date(Date.now() - DAY_MS), validTo = new Date(Date.now() + 30 * DAY_MS) } = contents
  const spki = keys.publicKey.export({ type: 'spki', format: 'der' })
  const keyId = createHash('sha1').update(spki).digest()
  const extensions = [
    extension('551d13', sequence(...(isCa ? [TRUE] : [])), true), // basicConstraints
    extension('551d0f', der(0x03, Buffer.from(isCa ? [1, 0x06] : [7, 0x80])), true), // keyUsage
    extension('551d0e', der(0x04, keyId), false), // subjectKeyIdentifier
    ...(hosts.length > 0 ? [extension('551d11', sequence(...hosts.map(alternativeName)), false)] : []),
  ]
  const unsigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(time(validFrom), time(validTo)),
    nameOf(subject),
    spki,
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', unsigned, signer)
  const bytes = sequence(unsigned, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const TRUE = der(0x01, Buffer.from([0xff]))
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'))

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  return sequence(objectId(id), ...(isCritical ? [TRUE] : []), der(0x04, value))
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))))
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return der(0x87, Buffer.from(host.split('.').map(Number)))
  return der(0x82, Buffer.from(host))
}

function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return der(0x17, Buffer.from(digits.slice(2))) // UTCTime
}
