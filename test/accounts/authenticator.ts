import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { PASSWORD, type Person, type TestInstallation } from '../support/person.ts'
import type { Answer } from '../support/server.ts'

interface Settings {
  /** The origin of the page, as the browser reports it. */
  readonly origin: string
  readonly rpId?: string
  /** Whether it reports user verification. */
  readonly verifies?: boolean
}

interface Ceremony {
  readonly challenge: string
  readonly user?: { readonly id: string }
}

const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

/** A software passkey that can send forged responses. */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url')
  readonly #key: KeyObject
  readonly #publicKey: Buffer
  origin: string
  rpId: string
  verifies: boolean
  counter = 0
  userHandle: string | undefined

  constructor({ origin, rpId = new URL(origin).hostname, verifies = true }: Settings) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x, y } = publicKey.export({ format: 'jwk' })
    const part = (text: string | undefined): Uint8Array => new Uint8Array(Buffer.from(text as string, 'base64url'))
    const cose = new Map<number, number | Uint8Array>()
    for (const [label, value] of [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part(x)],
      [-3, part(y)],
    ] as const)
      cose.set(label, value)
    this.#key = privateKey
    this.#publicKey = Buffer.from(isoCBOR.encode(cose as never))
    this.origin = origin
    this.rpId = rpId
    this.verifies = verifies
  }

  /** The result of `navigator.credentials.create()`. */
  create({ challenge, user }: Ceremony) {
    this.userHandle = user?.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const authData = Buffer.concat([this.#data(ATTESTED), Buffer.alloc(16), length, id, this.#publicKey])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal', '<script>'],
    })
  }

  /** The result of `navigator.credentials.get()`. */
  use({ challenge }: Ceremony) {
    this.counter += 1
    const [clientData, data] = [this.#clientData('webauthn.get', challenge), this.#data(0)]
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#key).toString('base64url'),
      userHandle: this.userHandle,
    })
  }

  #credential(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }))
  }

  #data(extra: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const flags = PRESENT | (this.verifies ? VERIFIED : 0) | extra
    return Buffer.concat([createHash('sha256').update(this.rpId).digest(), Buffer.from([flags]), counter])
  }
}

/** A new credential in the right form that no authenticator has made. */
export const bareCredential = {
  id: 'AA',
  rawId: 'AA',
  type: 'public-key',
  response: { clientDataJSON: 'AA', attestationObject: 'AA' },
}

/** Passkeys need a host name instead of an IP address. */
export function originOf({ server }: Pick<TestInstallation, 'server'>): string {
  return server.url.replace('127.0.0.1', 'localhost')
}

export async function addPasskey(person: Person, authenticator: Authenticator, name = 'Laptop'): Promise<Answer> {
  const { status, body } = await person.post('/me/passkeys/options', { password: PASSWORD })
  assert.equal(status, 200, JSON.stringify(body))
  return person.post('/me/passkeys', { token: body.token, name, response: authenticator.create(body.options) })
}

export async function signInWithPasskey(person: Person, authenticator: Authenticator): Promise<Answer> {
  const { body } = await person.post('/sign-in/passkey/options', {})
  return person.post('/sign-in/passkey', { token: body.token, response: authenticator.use(body.options) })
}
