import type { IncomingMessage } from 'node:http'
import type { Fault } from '../../contract/errors.ts'

export const BODY_LIMIT_BYTES = 1024 * 1024

/** A body over the limit is still heard out up to here, so that its sender gets to read the answer. */
const PATIENCE_BYTES = 16 * BODY_LIMIT_BYTES

export interface BodyRules {
  /** How long the whole body may take to arrive. */
  readonly timeoutMs: number
}

/** What a request's body turned out to be. `spoiled`: the rest of it was not read, so the connection must end. */
export type BodyOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[]; readonly spoiled: boolean }

const decoder = new TextDecoder('utf-8', { fatal: true })

export async function readBody(request: IncomingMessage, rules: BodyRules): Promise<BodyOutcome> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-type': type } = request.headers
  if (chunked === undefined && (length === undefined || Number(length) === 0)) return { kind: 'none' }
  if (Number(length) > PATIENCE_BYTES) return faulty('body', TOO_LARGE, true)
  const arrived = await collect(request, rules)
  if ('message' in arrived) return faulty('body', arrived.message, arrived.spoiled)
  if (arrived.bytes.length === 0) return { kind: 'none' }
  if (!isJsonType(type)) return faulty('content-type', 'must be application/json', false)
  return parse(arrived.bytes)
}

const TOO_LARGE = 'must be at most 1 MiB'

function faulty(path: string, message: string, spoiled: boolean): BodyOutcome {
  return { kind: 'faulty', faults: [{ path, message }], spoiled }
}

function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json[ \t]*(;|$)/i.test(type)
}

function parse(bytes: Buffer): BodyOutcome {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return faulty('body', 'must be UTF-8', false)
  }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return faulty('body', 'must be valid JSON', false)
  }
}

type Arrival = { readonly bytes: Buffer } | { readonly message: string; readonly spoiled: boolean }

function collect(request: IncomingMessage, rules: BodyRules): Promise<Arrival> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(settle, rules.timeoutMs, { message: 'took too long to arrive', spoiled: true })
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= BODY_LIMIT_BYTES) chunks.push(chunk)
      else chunks = []
      if (size > PATIENCE_BYTES) settle({ message: TOO_LARGE, spoiled: true })
    }
    const onEnd = (): void => {
      settle(size > BODY_LIMIT_BYTES ? { message: TOO_LARGE, spoiled: false } : { bytes: Buffer.concat(chunks) })
    }
    const onGone = (): void => {
      stop()
      reject(new ClientGone('The client left before its body had arrived'))
    }
    function stop(): void {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('aborted', onGone)
    }
    function settle(arrival: Arrival): void {
      stop()
      resolve(arrival)
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('aborted', onGone)
  })
}

/** There is nobody left to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}
