import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Soon } from '../../../lib/soon.ts'

export type Encoding = 'br' | 'gzip' | 'identity'

/** Bytes that are ready to be sent, with the headers that belong to them. */
export interface Variant {
  readonly etag: string
  readonly body: Buffer
  /** Names and values in turn, as Node writes them fastest. */
  readonly headers: readonly string[]
}

const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>>> = {
  gzip: (body) => promisify(gzip)(body, { level: 6 }),
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
}

/** One content in every encoding; each is made when it is first asked for, off this thread, and kept. */
export class Encoded {
  readonly size: number
  readonly #identity: Variant
  readonly #shared: readonly string[]
  readonly #variants: Partial<Record<Encoding, Soon<Variant>>> = {}

  constructor(text: string, type: string, headers: Readonly<Record<string, string>>) {
    const body = Buffer.from(text)
    // With what it is compressed to, and with the data that it was drawn from and may be drawn from again.
    this.size = 4 * body.length
    this.#shared = ['content-type', type, ...Object.entries(headers).flat(), 'vary', varyOf(headers)]
    this.#identity = this.#variant(body, 'identity', createHash('sha256').update(body).digest('base64url').slice(0, 22))
  }

  in(encoding: Encoding): Soon<Variant> {
    if (encoding === 'identity') return this.#identity
    const known = this.#variants[encoding]
    if (known !== undefined) return known
    const tag = this.#identity.etag.slice(1, -1)
    const made = compressors[encoding](this.#identity.body).then((body) => {
      const variant = this.#variant(body, encoding, `${tag}-${encoding}`)
      this.#variants[encoding] = variant
      return variant
    })
    this.#variants[encoding] = made
    return made
  }

  #variant(body: Buffer, encoding: Encoding, tag: string): Variant {
    const etag = `"${tag}"`
    const headers = [...this.#shared, 'etag', etag, 'content-length', `${body.length}`]
    if (encoding !== 'identity') headers.push('content-encoding', encoding)
    return { etag, body, headers }
  }
}

/** What is private also depends on who asks. */
function varyOf(headers: Readonly<Record<string, string>>): string {
  return headers['cache-control']?.startsWith('private') ? 'accept-encoding, cookie' : 'accept-encoding'
}

/** Browsers send a handful of values; what was worked out for one is kept. */
const worked = new Map<string, Encoding>()
const MOST_WORKED = 200

/** The best encoding that a client takes. */
export function encodingFor(accepted: string | undefined): Encoding {
  if (accepted === undefined) return 'identity'
  let encoding = worked.get(accepted)
  if (encoding === undefined) {
    const taken = new Set(
      accepted
        .toLowerCase()
        .split(',')
        .map((part) => part.split(';').map((piece) => piece.trim()))
        .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
        .map(([name]) => name),
    )
    encoding = taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : 'identity'
    if (worked.size >= MOST_WORKED) worked.clear()
    worked.set(accepted, encoding)
  }
  return encoding
}

/** Whether a client has these bytes already. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
