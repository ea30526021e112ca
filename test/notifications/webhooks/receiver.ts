import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../support/eventually.ts'

export interface Letter {
  /** The event's id, as the header says it. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly at: number
}

/** A receiver on loopback that keeps what it is sent. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly letters: readonly Letter[]
  /** The most requests that were under way at once. */
  readonly mostAtOnce: number
  /** What it does from now on; it answers 200 by itself. */
  answer: (response: ServerResponse, letter: Letter) => unknown
  /** Resolves once so many letters have come. */
  count(letters: number, timeoutMs?: number): Promise<readonly Letter[]>
}

export async function startReceiver(
  answer: Receiver['answer'] = (response) => response.end('thanks'),
  port = 0,
): Promise<Receiver> {
  const letters: Letter[] = []
  const sockets = new Set<Socket>()
  let atOnce = 0
  let mostAtOnce = 0
  const server = createServer(async (request, response) => {
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    response.on('close', () => {
      atOnce -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const letter = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body: Buffer.concat(chunks),
      at: Date.now(),
    }
    letters.push(letter)
    receiver.answer(response, letter)
  })
  server.on('connection', (socket) =>
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket))),
  )
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    letters,
    get mostAtOnce() {
      return mostAtOnce
    },
    answer,
    async count(wanted, timeoutMs = 10_000) {
      await eventually(async () => {
        if (letters.length < wanted) throw new Error(`${letters.length} of ${wanted} letters have come`)
      }, timeoutMs)
      return letters
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

/** What the reference library makes of a letter; it throws where the signature is not good. */
export function verified(letter: Letter, secret: string): { id: string; type: string; data: unknown } {
  const header = (name: string): string => String(letter.headers[name])
  return new Webhook(secret).verify(letter.body, {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  }) as { id: string; type: string; data: unknown }
}
