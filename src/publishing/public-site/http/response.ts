import { type EncodedContent, etagMatches, negotiateEncoding, type Variant } from './encoded-content.ts'

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
