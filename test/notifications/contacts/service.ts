import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape
  readonly body: any
  readonly bytes: number
  readonly at: number
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A service on loopback that validates requests like the real one, and records them. */
export interface Service extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** Replaces the answers to the next requests. */
  readonly replies: Reply[]
  /** Holds the answers until the returned function is called. */
  hold(): () => void
}

/** `judge` returns the answer to a request, or throws what is wrong with it. By default all are answered with 200. */
export async function startService(judge: (request: Received) => Reply = () => ({ status: 200 })): Promise<Service> {
  const received: Received[] = []
  const replies: Reply[] = []
  let gate: Promise<void> | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const got: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: parsed(bytes.toString('utf8')),
      bytes: bytes.length,
      at: Date.now(),
    }
    received.push(got)
    await gate
    const { status, headers = {}, body = '' } = replies.shift() ?? answerOf(judge, got)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, headers).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    replies,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = undefined
        resolve()
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An assertion of `judge` becomes an error status that no test expects. */
function answerOf(judge: (request: Received) => Reply, got: Received): Reply {
  try {
    return judge(got)
  } catch (error) {
    return { status: 400, body: `The service would refuse this: ${(error as Error).message}` }
  }
}

export function expectJson({ headers, method }: Received): void {
  assert.equal(method, 'POST')
  assert.match(headers['content-type'] ?? '', /^application\/json\b/)
}

export function expectFields(value: object, allowed: readonly string[]): void {
  const unknown = Object.keys(value).filter((name) => !allowed.includes(name))
  assert.deepEqual(unknown, [], 'fields that the service does not know')
}

export function expectText(value: unknown, most: number, least = 1): void {
  assert.ok(typeof value === 'string', `text, not ${typeof value}`)
  assert.ok(value.length >= least && value.length <= most, `${value.length} characters, ${least} to ${most} allowed`)
  assert.ok(value.isWellFormed(), 'half a character')
}

/** The incidents of the alerts in a message of the channel WEBHOOK. */
export function incidentsIn({ body }: Received): string[] {
  return body.alerts.map(({ incidentId }: { incidentId: string }) => incidentId)
}
