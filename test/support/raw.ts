import { connect } from 'node:net'
import type { Answer } from './server.ts'

export interface RawAnswer extends Answer {
  /** The raw response, headers included. */
  readonly text: string
}

/** Sends raw bytes and reads one response until the server closes the connection. */
export async function exchange(url: string, sent: string | Buffer): Promise<RawAnswer> {
  const text = await converse(url, sent)
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) throw new Error(`No answer came, but ${JSON.stringify(text.slice(0, 200))}`)
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const body = text.slice(end + 4)
  return { status: Number(statusLine.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body), text }
}

/** A request with `Connection: close`. */
export function request(method: string, target: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, ...length, '', body].join(
    '\r\n',
  )
}

function converse(url: string, sent: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(sent))
    socket.setTimeout(60_000, () => socket.destroy(new Error('The server neither answered nor closed')))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}
