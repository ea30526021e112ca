import { createServer, type Socket } from 'node:net'
import { listen } from '../../support/listener.ts'

/** A server of somebody else on loopback. */
export interface ForeignHost extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Sends these bytes, of one character each, for a path whose first part is this one, and closes the connection. */
  answer(path: string, bytes: string): void
}

/** `speaksFirst`: answers a connection without a request, with what is set for no path. */
export async function startForeignHost({ speaksFirst = false } = {}): Promise<ForeignHost> {
  const answers = new Map<string, Buffer>()
  const end = (socket: Socket, path: string) => socket.end(answers.get(path) ?? Buffer.alloc(0))
  const listener = await listen(
    createServer((socket) => {
      if (speaksFirst) {
        socket.resume()
        end(socket, '')
        return
      }
      socket.once('data', (chunk) => end(socket, /^\S+ (\/[^/?\s]*)/.exec(chunk.toString('latin1'))?.[1] ?? ''))
      // What comes afterwards is read, so that the answer is not lost by a reset.
      socket.on('data', () => undefined)
    }),
  )
  return {
    url: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    answer: (path, bytes) => void answers.set(path, Buffer.from(bytes, 'latin1')),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}
