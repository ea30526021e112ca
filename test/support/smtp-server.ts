import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { listen } from './listener.ts'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  /** Names in lower case; a repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>
  readonly text: string
  readonly html: string
}

export interface SmtpServer extends AsyncDisposable {
  readonly port: number
  readonly mails: readonly Mail[]
  /** The reply to the next recipient, instead of acceptance. */
  refuseNext: string | undefined
  /** Sends no more replies. */
  silent: boolean
  /** Replies by recipient, instead of acceptance. */
  refuse: (address: string) => string | undefined
  /** Closes every connection. */
  isDown: boolean
  /** Receives messages but delays its reply until released. */
  hold(): () => void
  /** The number of connections so far. */
  readonly connections: number
}

export const LOGIN = { user: 'pharos', password: 'p@ss:word/1' }

/** An SMTP server on loopback (RFC 5321, the part that senders need) that requires a login. */
export async function startSmtp(): Promise<SmtpServer> {
  const mails: Mail[] = []
  const state = {
    refuseNext: undefined as string | undefined,
    silent: false,
    refuse: (_address: string): string | undefined => undefined,
    isDown: false,
    held: Promise.resolve(),
    connections: 0,
  }
  const server = createServer((socket) => {
    state.connections += 1
    if (state.isDown) socket.destroy()
    // Clients may disconnect at any time.
    else if (!state.silent) converse(socket, state, mails).catch(() => socket.destroy())
  })
  const listener = await listen(server)
  return Object.assign(state, {
    port: listener.port,
    mails,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.held = promise
      return resolve
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  })
}

interface State extends Pick<SmtpServer, 'refuseNext' | 'refuse' | 'isDown'> {
  readonly held: Promise<void>
}

async function converse(socket: Socket, server: State, mails: Mail[]): Promise<void> {
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  let from = ''
  let to: string[] = []
  let data: string[] | undefined
  let isKnown = false
  const expected = Buffer.from(`\0${LOGIN.user}\0${LOGIN.password}`).toString('base64')
  say('220 mail.test ESMTP')
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (server.isDown) socket.destroy()
    else if (data !== undefined) {
      if (line !== '.') data.push(line.startsWith('.') ? line.slice(1) : line)
      else {
        mails.push({ from, to, ...parse(data) })
        data = undefined
        await server.held
        say('250 2.0.0 Ok: queued')
      }
    } else if (/^EHLO /i.test(line)) say('250-mail.test\r\n250-AUTH PLAIN\r\n250 SMTPUTF8')
    else if (/^AUTH PLAIN /i.test(line)) {
      isKnown = line.slice(11) === expected
      say(isKnown ? '235 2.7.0 Authentication successful' : '535 5.7.8 Authentication credentials invalid')
    } else if (/^MAIL FROM:/i.test(line)) {
      from = /<(.*?)>/.exec(line)?.[1] ?? ''
      to = []
      say(isKnown ? '250 2.1.0 Ok' : '530 5.7.0 Authentication required')
    } else if (/^RCPT TO:/i.test(line)) {
      const address = /<(.*?)>/.exec(line)?.[1] ?? ''
      to.push(address)
      say(server.refuseNext ?? server.refuse(address) ?? '250 2.1.5 Ok')
      server.refuseNext = undefined
    } else if (/^DATA$/i.test(line)) {
      data = []
      say('354 End data with <CR><LF>.<CR><LF>')
    } else if (/^QUIT$/i.test(line)) {
      say('221 2.0.0 Bye')
      socket.end()
    } else say('250 2.0.0 Ok')
  }
}

function parse(lines: readonly string[]): Pick<Mail, 'headers' | 'text' | 'html'> {
  const [headers, body] = split(lines)
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type']?.[0] ?? '')?.[1]
  const parts = { text: '', html: '' }
  for (const part of body.join('\r\n').split(`--${boundary}`).slice(1, -1)) {
    const [partHeaders, content] = split(part.replace(/^\r\n/, '').split('\r\n'))
    const name = partHeaders['content-type']?.[0]?.startsWith('text/html') ? 'html' : 'text'
    parts[name] = decode(content.join('\r\n'), partHeaders['content-transfer-encoding']?.[0] ?? '')
  }
  return { headers, ...parts }
}

function split(lines: readonly string[]): [headers: Record<string, string[]>, body: string[]] {
  const end = lines.indexOf('')
  const headers: Record<string, string[]> = {}
  const unfolded = lines
    .slice(0, end)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
  for (const line of unfolded) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    headers[name.toLowerCase()] = [...(headers[name.toLowerCase()] ?? []), words(value)]
  }
  return [headers, lines.slice(end + 1)]
}

/** RFC 2047: encoded words in a header. */
function words(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, how: string, text: string) =>
      how.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString('utf8') : quoted(text.replaceAll('_', ' ')),
    )
}

function decode(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? quoted(text.replace(/=\r\n/g, '')) : text
}

function quoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
