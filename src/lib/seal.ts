import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Encrypts stored secrets with AES-256-GCM. The first key seals; all keys open, so that keys can be rotated. */
export interface Sealer {
  /** Identifies the first key without revealing it. */
  readonly keyId: string
  readonly knownKeyIds: readonly string[]
  /** `context` binds a sealed text to its place: it opens only with the same context. */
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
  /** A hash that only holders of the key can compute, so that stored hashes of short texts cannot be guessed. */
  keyedHash(plain: string, context: string): string
  isKeyedHashOf(hash: string, plain: string, context: string): boolean
}

export class UnknownSealKey extends Error {
  override name = 'UnknownSealKey'
}

export const SEAL_KEY_BYTES = 32

export function createSealer(keys: readonly Buffer[]): Sealer {
  const keysById = new Map(keys.map((key) => [sealKeyId(key), key]))
  const [first] = keysById
  if (first === undefined) throw new Error('A sealer needs at least one key')
  const [keyId, key] = first
  return {
    keyId,
    knownKeyIds: [...keysById.keys()],
    seal(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${keyId}.${body.toString('base64')}`
    },
    open(sealed, context) {
      const dot = sealed.indexOf('.')
      const opener = keysById.get(sealed.slice(0, dot))
      if (opener === undefined) throw new UnknownSealKey(`No key with the id ${sealed.slice(0, dot)} is configured`)
      const body = Buffer.from(sealed.slice(dot + 1), 'base64')
      const decipher = createDecipheriv('aes-256-gcm', opener, body.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(body.subarray(-16))
      return decipher.update(body.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
    },
    keyedHash: (plain, context) => `${keyId}.${hmac(key, plain, context).toString('base64')}`,
    isKeyedHashOf(hash, plain, context) {
      const dot = hash.indexOf('.')
      const hashKey = keysById.get(hash.slice(0, dot))
      const bytes = Buffer.from(hash.slice(dot + 1), 'base64')
      return hashKey !== undefined && bytes.length === 32 && timingSafeEqual(bytes, hmac(hashKey, plain, context))
    },
  }
}

/** The word "mark" is part of the stored format. */
function hmac(key: Buffer, plain: string, context: string): Buffer {
  return createHmac('sha256', key).update(`mark ${context}\0${plain}`).digest()
}

export function sealKeyId(key: Buffer): string {
  return createHash('sha256').update('pharos seal key id').update(key).digest('hex').slice(0, 8)
}
