import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { RawAnswer } from './raw-http.ts'

export interface RequestToSend {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

/** A client with one keep-alive connection. */
export function openConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async send({ method, path, headers, body }: RequestToSend): Promise<RawAnswer> {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const asked = request({ agent, port, host: '127.0.0.1', method, path, headers }, resolve)
      asked.on('error', reject)
      asked.setTimeout(60_000, () => asked.destroy(new Error('no answer within 60 s')))
      asked.end(body)
      const response = await promise
      return { status: response.statusCode ?? 0, headers: allHeaders(response), body: `${await buffer(response)}` }
    },
    close: () => agent.destroy(),
  }
}

function allHeaders({ rawHeaders }: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.getOrInsertComputed((rawHeaders[i] as string).toLowerCase(), () => []).push(rawHeaders[i + 1] as string)
  }
  return headers
}
