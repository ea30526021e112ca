import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Engine } from '../../src/storage/database.ts'
import { type Contract, publicContract } from '../support/conformance.ts'
import { oneOfEachEnv } from '../support/one-of-each.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type DescribedOperation, operationsOf } from './schema.ts'

const QUOTA = 1_000_000

/** The server that is fuzzed, and the operations of its document. */
export interface FuzzTarget extends AsyncDisposable {
  readonly port: number
  readonly server: TestServer
  readonly operations: readonly DescribedOperation[]
  readonly contract: Contract
}

export async function startFuzzTarget(engine: Engine): Promise<FuzzTarget> {
  const env = {
    PHAROS_RATE_LIMIT: `${QUOTA}`,
    // No checker, because fuzzed monitors have random targets. Other lookups stay on loopback.
    PHAROS_ROLES: 'api',
    ...oneOfEachEnv,
  }
  const server = await startTestServer(engine, { env })
  return {
    port: Number(new URL(server.url).port),
    server,
    // Imports begin with files, not JSON.
    operations: operationsOf(publicContract.document).filter(({ path }) => !path.includes('/imports')),
    contract: publicContract,
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

export interface RequestToSend {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export type Send = (sent: RequestToSend) => Promise<RawAnswer>

/** A client with one keep-alive connection. */
export function openConnection(port: number): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async send({ method, path, headers, body }) {
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
    const name = (rawHeaders[i] as string).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), rawHeaders[i + 1] as string])
  }
  return headers
}
