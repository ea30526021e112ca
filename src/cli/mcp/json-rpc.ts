import type { Readable, Writable } from 'node:stream'

/** Bodies of the API are smaller. A longer line is refused and dropped as it arrives. */
const MAX_LINE_BYTES = 4 * 1024 * 1024

/** Codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
export const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603

/** An error of the protocol, as opposed to one of a tool. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

type Id = string | number

type Params = Readonly<Record<string, unknown>>

/** Returns the result of a request. The signal aborts when the client cancels the request or ends. */
export type Method = (params: Params, signal: AbortSignal) => unknown

/**
 * Serves JSON-RPC 2.0, one message per line, until the input ends, the output closes or `stop` aborts. Requests run side by side.
 * Batches are refused: only one version of the Model Context Protocol had them.
 */
export async function serveJsonRpc(
  { input, output }: { input: Readable; output: Writable },
  methods: ReadonlyMap<string, Method>,
  stop: AbortSignal,
): Promise<void> {
  const running = new Map<Id, AbortController>()
  const send = (answer: object): void => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`)

  async function run(id: Id, method: Method, params: Params): Promise<void> {
    if (running.has(id)) throw new RpcError(INVALID_REQUEST, 'A request with this id is in progress')
    const request = new AbortController()
    const { signal } = request
    running.set(id, request)
    try {
      const result = await method(params, signal)
      // The client does not expect an answer to a request that it has cancelled.
      if (!signal.aborted) send({ id, result })
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      running.delete(id)
    }
  }

  async function receive(line: string | undefined): Promise<void> {
    let id: Id | null = null
    try {
      const message = messageOf(line)
      if (isId(message.id)) id = message.id
      // The client is asked nothing, so its answers have no request here.
      if (message.method === undefined && ('result' in message || 'error' in message)) return
      const { method, params } = callOf(message)
      if (id !== null) {
        const called = methods.get(method)
        if (called === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`)
        await run(id, called, params)
      } else if (method === 'notifications/cancelled') {
        running.get(params.requestId as Id)?.abort()
      }
    } catch (error) {
      const code = error instanceof RpcError ? error.code : INTERNAL_ERROR
      send({ id, error: { code, message: (error as Error).message } })
    }
  }

  const read = lineReader((line) => void receive(line))
  await new Promise<void>((resolve) => {
    const end = (): void => resolve()
    input.on('data', read).once('end', end).once('close', end).once('error', end)
    // The client has ended.
    output.on('error', end)
    stop.addEventListener('abort', end, { once: true })
  })
  input.off('data', read).pause()
  for (const request of running.values()) request.abort()
}

function messageOf(line: string | undefined): Params {
  if (line === undefined) throw new RpcError(INVALID_REQUEST, `A line may have ${MAX_LINE_BYTES} bytes`)
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    throw new RpcError(PARSE_ERROR, 'Not JSON')
  }
  if (isObject(message)) return message
  throw new RpcError(INVALID_REQUEST, 'Not a request of JSON-RPC 2.0')
}

function callOf({ jsonrpc, id, method, params = {} }: Params): { method: string; params: Params } {
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !(id === undefined || isId(id))) {
    throw new RpcError(INVALID_REQUEST, 'Not a request of JSON-RPC 2.0')
  }
  if (isObject(params)) return { method, params }
  // A notification never gets an answer.
  if (id === undefined) return { method, params: {} }
  throw new RpcError(INVALID_PARAMS, 'params must be an object')
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}

/** Passes on each line that is not empty, or undefined for one that is too long. */
function lineReader(receive: (line: string | undefined) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let bytes = 0
  const add = (part: Buffer): void => {
    bytes += part.length
    if (bytes <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  return (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end))
      const line = Buffer.concat(parts).toString('utf8')
      if (bytes > MAX_LINE_BYTES) receive(undefined)
      else if (line.trim() !== '') receive(line)
      parts = []
      bytes = 0
      from = end + 1
    }
    add(chunk.subarray(from))
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
