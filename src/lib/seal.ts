import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Encrypts what must be readable again (stored answers, signing secrets). The first key seals; every key opens. */
export interface Sealer {
  /** Tells one key from another without giving it away. */
  readonly keyId: string
  readonly knownKeyIds: readonly string[]
  /** `context` binds a sealed text to its place: it opens only with the same context. */
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
  /** A text that tells whether another one is the same, and says nothing of it to whoever has no key. */
  keyedHash(plain: string, context: string): string
  isKeyedHashOf(mark: string, plain: string, context: string): boolean
}

export class UnknownSealKey extends Error {
  override name = 'UnknownSealKey'
}

export const SEAL_KEY_BYTES = 32

export function createSealer(keys: readonly Buffer[]): Sealer {
  const ring = new Map(keys.map((key) => [sealKeyId(key), key]))
  const [first] = ring
  if (first === undefined) throw new Error('A sealer needs at least one key')
  const [keyId, key] = first
  const markWith = (by: Buffer, plain: string, context: string): Buffer =>
    createHmac('sha256', by).update(`mark ${context}\0${plain}`).digest()
  return {
    keyId,
    knownKeyIds: [...ring.keys()],
    seal(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${keyId}.${body.toString('base64')}`
    },
    open(sealed, context) {
      const dot = sealed.indexOf('.')
      const opener = ring.get(sealed.slice(0, dot))
      if (opener === undefined) throw new UnknownSealKey(`No key with the id ${sealed.slice(0, dot)} is configured`)
      const body = Buffer.from(sealed.slice(dot + 1), 'base64')
      const decipher = createDecipheriv('aes-256-gcm', opener, body.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(body.subarray(-16))
      return decipher.update(body.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
    },
    keyedHash: (plain, context) => `${keyId}.${markWith(key, plain, context).toString('base64')}`,
    isKeyedHashOf(mark, plain, context) {
      const dot = mark.indexOf('.')
      const marker = ring.get(mark.slice(0, dot))
      const bytes = Buffer.from(mark.slice(dot + 1), 'base64')
      return marker !== undefined && bytes.length === 32 && timingSafeEqual(bytes, markWith(marker, plain, context))
    },
  }
}

export function sealKeyId(key: Buffer): string {
  return createHash('sha256').update('pharos seal key id').update(key).digest('hex').slice(0, 8)
}
