import { type Soon, whenReady } from '../../../lib/soon.ts'
import { type Encoded, encodingFor, isKnown, type Variant } from './encoded-content.ts'

export interface Answer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer | undefined
}

/** What a client takes, and what it has already. */
export interface Conditions {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

/** The content in the best encoding that the client takes, or that it has it already. */
export function deliver(encoded: Encoded, { acceptEncoding, ifNoneMatch }: Conditions): Soon<Answer> {
  return whenReady(encoded.in(encodingFor(acceptEncoding)), (variant): Answer => {
    if (!isKnown(ifNoneMatch, variant.etag)) return { status: 200, headers: variant.headers, body: variant.body }
    return { status: 304, headers: withoutBody(variant), body: undefined }
  })
}

/** The content whatever the client has. */
export function send(encoded: Encoded, acceptEncoding: string | undefined, status: number): Soon<Answer> {
  return whenReady(encoded.in(encodingFor(acceptEncoding)), ({ headers, body }) => ({ status, headers, body }))
}

/** The headers of bytes that are not sent. */
function withoutBody({ headers }: Variant): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string]
    if (!name.startsWith('content-l') && !name.startsWith('content-e')) kept.push(name, value)
  }
  return kept
}
