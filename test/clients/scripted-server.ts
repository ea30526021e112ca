import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../outbound/fixtures.ts'

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
}

export type Step = (response: ServerResponse) => void

/** Answers the first request with the first step, and so on; the last step repeats. */
export async function startScriptedServer(...steps: readonly Step[]): Promise<ScriptedServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const step = steps[Math.min(received.length, steps.length - 1)] as Step
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: await text(request) })
    step(response)
  })
  const listener = await listen(server)
  return { ...listener, url: `http://127.0.0.1:${listener.port}`, received }
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** An error as the API answers it. */
export function refuse(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Step {
  const error = { code, message: `It is ${code}`, requestId: 'req_1' }
  return answer(status, { error }, headers)
}

/** What many servers that are not Pharos answer to everything. */
export function foreign(body: string, headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => void response.writeHead(200, headers).end(body)
}

/** Ends the connection without an answer. */
export const disconnect: Step = (response) => void response.destroy()

/** Never answers. */
export const stall: Step = () => {}
