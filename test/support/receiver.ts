import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { listen } from './listener.ts'

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
  /** How it answers from now on. */
  answer: (response: ServerResponse) => unknown
  /** Waits for message number `count`. */
  message(count: number): Promise<Message>
}

export async function startReceiver(answer?: Receiver['answer']): Promise<Receiver> {
  const messages: Message[] = []
  const server = createServer(async (request, response) => {
    const raw = `${await buffer(request)}`
    messages.push({ headers: request.headers, raw, event: JSON.parse(raw) })
    receiver.answer(response)
    server.emit('message')
  })
  const listener = await listen(server)
  const receiver: Receiver = {
    url: `http://127.0.0.1:${listener.port}/hook`,
    messages,
    status: 200,
    answer: answer ?? ((response) => response.writeHead(receiver.status).end('thanks')),
    async message(count) {
      const signal = AbortSignal.timeout(60_000)
      while (messages.length < count) await once(server, 'message', { signal })
      return messages[count - 1] as Message
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
  return receiver
}

/** Verifies with the reference library, which throws if the signature is wrong. */
export function verified({ raw, headers }: Message, secret: string): { id: string; type: string; data: unknown } {
  return new Webhook(secret).verify(raw, headers as Record<string, string>) as never
}
