import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A received message; `raw` is what was signed. */
export interface Message {
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
  readonly event: any
}

/** A server on loopback that receives webhooks. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly messages: readonly Message[]
  /** The status of its responses. */
  status: number
  /** Waits for message number `count`. */
  message(count: number): Promise<Message>
}

export async function startReceiver(): Promise<Receiver> {
  const messages: Message[] = []
  const server = createServer(async (request, response) => {
    const raw = `${await buffer(request)}`
    messages.push({ headers: request.headers, raw, event: JSON.parse(raw) })
    response.writeHead(receiver.status).end('thanks')
    server.emit('message')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    status: 200,
    async message(count) {
      const signal = AbortSignal.timeout(60_000)
      while (messages.length < count) await once(server, 'message', { signal })
      return messages[count - 1] as Message
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
