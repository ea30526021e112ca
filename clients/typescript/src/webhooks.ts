import type { components } from './generated/schema.ts'

type Schemas = components['schemas']

/** One type of event for each name of the schemas; `type` distinguishes them. */
export type WebhookEvent = {
  [Name in keyof Schemas]: Name extends 'WebhookEvent' ? never : Name extends `${string}Event` ? Schemas[Name] : never
}[keyof Schemas]

/** A request that was not sent by the owner of the secret, or that is too old. Answer it with a 4xx status. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

export interface VerifyOptions {
  /** How far the time of the signature may lie in the past or in the future, 0 or more. Default: 300. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970. Default: `Date.now()`. */
  readonly now?: number
}

type AnyHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** More signatures than any rotation makes; a request with more is not checked further. */
const MAX_SIGNATURES = 20

/**
 * Verifies a webhook of Pharos (Standard Webhooks, HMAC-SHA256) and returns its event. `payload` is the body as it was received,
 * before any parsing. Give several secrets while you replace one.
 *
 *     const event = await verifyWebhook(await request.text(), request.headers, secret)
 *     if (event.type === 'incident.opened') console.log(event.data.monitor.name)
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: AnyHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  // A comparison with NaN is never true: no signature would be too old.
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw new TypeError(`toleranceSeconds must be a finite number of 0 or more, not ${toleranceSeconds}`)
  }
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'))
  // Decimal seconds only: Number() would also accept other notations of the same time.
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (Number.isNaN(seconds)) throw new WebhookVerificationError('The header webhook-timestamp is not a time')
  if (Math.abs(now / 1000 - seconds) > toleranceSeconds) {
    throw new WebhookVerificationError(
      `The signature is not from the last ${toleranceSeconds} seconds; check the clock of this machine`,
    )
  }
  const body = bytesOf(payload)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  for (const key of await keysOf(secret)) {
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventIn(body)
    }
  }
  throw new WebhookVerificationError('No signature matches')
}

function headerOf(headers: AnyHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing`)
  return value
}

function isHeaders(headers: AnyHeaders): headers is Headers {
  return typeof (headers as Headers).get === 'function'
}

/** The signatures of version 1; other versions are for other verifiers. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ', MAX_SIGNATURES)
    .filter((part) => part.startsWith('v1,'))
    .flatMap((part) => fromBase64(part.slice('v1,'.length)) ?? [])
}

async function keysOf(secret: string | readonly string[]): Promise<CryptoKey[]> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs a secret')
  return Promise.all(
    secrets.map((text) => {
      const bytes = fromBase64(text.replace(/^whsec_/, ''))
      if (bytes === undefined || bytes.length === 0) {
        throw new TypeError('A webhook secret is whsec_ followed by base64, as the API returned it')
      }
      return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    }),
  )
}

function eventIn(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
  } catch (cause) {
    throw new WebhookVerificationError('The body is not JSON', { cause })
  }
}

function bytesOf(payload: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof payload === 'string') return new TextEncoder().encode(payload)
  return payload instanceof Uint8Array ? payload : new Uint8Array(payload)
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
