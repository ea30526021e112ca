import { bytes, runConnection } from './raw-http.ts'
import type { Answer } from './server.ts'

/** Sends raw bytes and reads one response until the server closes the connection. */
export async function exchange(url: string, sent: string | Buffer): Promise<Answer> {
  const send = bytes(sent)
  const options = { heads: send.startsWith('HEAD ') ? [0] : [] }
  const { answers, rest, end } = await runConnection(Number(new URL(url).port), [{ send }], options)
  const [answer] = answers
  if (answer === undefined || end === 'open') throw new Error(`The answer is not complete: ${rest.slice(0, 200)}`)
  const headers = new Headers()
  for (const [name, values] of answer.headers) for (const value of values) headers.append(name, value)
  return { status: answer.status, headers, body: answer.body === '' ? undefined : JSON.parse(answer.body) }
}

/** A request with `Connection: close`. */
export function request(method: string, target: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, ...length, '', body].join(
    '\r\n',
  )
}
