import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../support/eventually.ts'

export interface ReceivedWebhook {
  /** The event's id, from the header. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly at: number
}

/** A receiver on loopback that keeps what it receives. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
  /** How it answers from now on; 200 at first. */
  answer: (response: ServerResponse, webhook: ReceivedWebhook) => unknown
  /** Resolves when so many webhooks were received. */
  count(webhooks: number, timeoutMs?: number): Promise<readonly ReceivedWebhook[]>
}

export async function startReceiver(
  answer: Receiver['answer'] = (response) => response.end('thanks'),
): Promise<Receiver> {
  const received: ReceivedWebhook[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const webhook = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body: Buffer.concat(chunks),
      at: Date.now(),
    }
    received.push(webhook)
    receiver.answer(response, webhook)
  })
  server.on('connection', (socket) =>
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket))),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    async count(wanted, timeoutMs = 10_000) {
      await eventually(async () => {
        if (received.length < wanted) throw new Error(`${received.length} of ${wanted} webhooks were received`)
      }, timeoutMs)
      return received
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

/** Verifies with the reference library, which throws if the signature is wrong. */
export function verified(webhook: ReceivedWebhook, secret: string): { id: string; type: string; data: unknown } {
  const header = (name: string): string => String(webhook.headers[name])
  return new Webhook(secret).verify(webhook.body, {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  }) as { id: string; type: string; data: unknown }
}
