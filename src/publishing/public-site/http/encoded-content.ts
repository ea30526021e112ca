import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

type Encoding = 'br' | 'gzip' | 'identity'

/** Bytes ready to be sent, with their headers. */
interface Variant {
  readonly etag: string
  readonly body: Buffer
  /** Names and values alternate: the form that Node writes fastest. */
  readonly headers: readonly string[]
}

const compressors: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  identity: async (body) => body,
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

/** One content in every encoding. Each is compressed on the thread pool at the first request for it, and kept. */
export class EncodedContent {
  /** An estimate of the memory used by all encodings and by the data that the content was rendered from. */
  readonly sizeBytes: number
  readonly #body: Buffer
  #tag: string | undefined
  readonly #headers: readonly string[]
  readonly #variants = new Map<Encoding, Promise<Variant>>()

  constructor(content: string | Buffer, type: string, headers: Readonly<Record<string, string>>) {
    this.#body = typeof content === 'string' ? Buffer.from(content) : content
    this.sizeBytes = 4 * this.#body.length
    this.#headers = ['content-type', type, ...Object.entries(headers).flat(), 'vary', varyOf(headers)]
  }

  variant(encoding: Encoding): Promise<Variant> {
    let variant = this.#variants.get(encoding)
    if (variant === undefined) {
      variant = this.#encode(encoding)
      this.#variants.set(encoding, variant)
    }
    return variant
  }

  async #encode(encoding: Encoding): Promise<Variant> {
    const body = await compressors[encoding](this.#body)
    this.#tag ??= createHash('sha256').update(this.#body).digest('base64url').slice(0, 22)
    const etag = encoding === 'identity' ? `"${this.#tag}"` : `"${this.#tag}-${encoding}"`
    const headers = [...this.#headers, 'etag', etag, 'content-length', `${body.length}`]
    if (encoding !== 'identity') headers.push('content-encoding', encoding)
    return { etag, body, headers }
  }
}

/** Private content also depends on the cookie. */
function varyOf(headers: Readonly<Record<string, string>>): string {
  return headers['cache-control']?.startsWith('private') ? 'accept-encoding, cookie' : 'accept-encoding'
}

/** Brotli if the client accepts it, else gzip, else no compression. */
export function negotiateEncoding(acceptEncoding = ''): Encoding {
  const accepted = new Set(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((part) => part.split(';').map((piece) => piece.trim()))
      .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
      .map(([name]) => name),
  )
  return accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : 'identity'
}

export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

export interface PageResponse {
  readonly status: number
  /** Names and values alternate. */
  readonly headers: readonly string[]
  readonly body: Buffer | undefined
}

export interface RequestConditions {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

/** 200 with the content in the best encoding that the client accepts, or 304 if the client has it. */
export async function respond(
  content: EncodedContent,
  { acceptEncoding, ifNoneMatch }: RequestConditions,
): Promise<PageResponse> {
  const variant = await content.variant(negotiateEncoding(acceptEncoding))
  if (etagMatches(ifNoneMatch, variant.etag)) return { status: 304, headers: withoutBody(variant), body: undefined }
  return { status: 200, headers: variant.headers, body: variant.body }
}

/** The content with a given status; ignores If-None-Match. */
export async function respondWithStatus(
  status: number,
  content: EncodedContent,
  acceptEncoding: string | undefined,
): Promise<PageResponse> {
  const { headers, body } = await content.variant(negotiateEncoding(acceptEncoding))
  return { status, headers, body }
}

/** The headers without content-length and content-encoding. */
function withoutBody({ headers }: Variant): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string]
    if (name !== 'content-length' && name !== 'content-encoding') kept.push(name, value)
  }
  return kept
}
