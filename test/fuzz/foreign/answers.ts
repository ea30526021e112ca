import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { mutatedText, someBytes } from '../attacks.ts'
import { json } from '../values.ts'
import { mutatedJson } from './mutate-json.ts'

/** The bytes that a foreign server sends; every character is one byte. */
type Answer = string

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

const status = fc.oneof(
  { arbitrary: fc.constantFrom('200 OK', '200 OK', '400 Bad Request', '500 Oops'), weight: 6 },
  fc.constantFrom(
    '204 None',
    '304 Same',
    '101 Switching Protocols',
    '401 Who',
    '600 x',
    '099 x',
    '200',
    '2000 x',
    '-1 x',
  ),
)

const oddHeader = fc.constantFrom(
  'Content-Encoding: gzip',
  'Content-Encoding: br, gzip',
  'Content-Type: text/event-stream',
  'Content-Type: application/json; charset=utf-16le',
  'Content-Type: text/html; charset=nonsense',
  'WWW-Authenticate: Digest realm="a", nonce="b", qop="auth", algorithm=MD5',
  'WWW-Authenticate: Digest ,,,="',
  'Retry-After: 1e308',
  'Set-Cookie: a=b; expires=never',
  'Location: /again',
  'Location: http://[::1',
  'Date: Thu, 99 Nov 99999 99:99:99 GMT',
  'Transfer-Encoding: chunked, chunked',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x',
  'Link: <',
  `X-Long: ${'x'.repeat(20_000)}`,
  'X-Many: y\r\n'.repeat(1_500).trim(),
  'X: \xff\x80\x0b',
  ': x',
  'no header',
)

const framings = {
  length: (body: string) => [`Content-Length: ${body.length}`, body],
  'too long': (body: string) => [`Content-Length: ${body.length + 10}`, body],
  'too short': (body: string) => [`Content-Length: ${Math.floor(body.length / 2)}`, body],
  none: (body: string) => ['Connection: close', body],
  chunked: (body: string) => ['Transfer-Encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  'cut chunk': (body: string) => ['Transfer-Encoding: chunked', `${(body.length + 1).toString(16)};a=b\r\n${body}`],
  'small chunks': (body: string) => [
    'Transfer-Encoding: chunked',
    `${(body.slice(0, 500).match(/./gs) ?? []).map((c) => `1;x\r\n${c}\r\n`).join('')}0\r\nTrailer: x\r\n\r\n`,
  ],
  gzip: (body: string) => [
    'Content-Encoding: gzip',
    gzipSync(Buffer.from(body, 'latin1'), { level: 1 }).toString('latin1'),
  ],
  bomb: (body: string) => [
    'Content-Encoding: gzip',
    gzipSync(Buffer.from(body.slice(0, 100) + ' '.repeat(2_000_000)), { level: 1 }).toString('latin1'),
  ],
} as const

const framing = fc.constantFrom(...(Object.keys(framings) as (keyof typeof framings)[]), 'length', 'length')

/** HTTP responses with such a body, mostly well-formed. */
function responseWith(body: fc.Arbitrary<string>): fc.Arbitrary<Answer> {
  const headers = fc.oneof({ arbitrary: fc.constant<string[]>([]), weight: 2 }, fc.array(oddHeader, { maxLength: 3 }))
  const interim = fc.constantFrom('', '', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3))
  const whole = fc.tuple(status, headers, framing, body, interim).map(([line, lines, how, content, before]) => {
    const [header, framed] = framings[how](content)
    const json = 'Content-Type: application/json'
    return `${before}HTTP/1.1 ${line}\r\n${[json, header, ...lines].join('\r\n')}\r\n\r\n${framed}`
  })
  const plain = body.map((content) => `HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n${content}`)
  return fc.oneof(
    { arbitrary: plain, weight: 4 },
    { arbitrary: whole, weight: 5 },
    { arbitrary: whole.chain((text) => mutatedText([text])), weight: 1 },
    { arbitrary: someBytes(300), weight: 1 },
  )
}

function contentLike(value: unknown): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: mutatedJson(value).map(utf8), weight: 6 },
    { arbitrary: mutatedText([utf8(json(value))]), weight: 2 },
    { arbitrary: someBytes(2_000), weight: 1 },
  )
}

const health = {
  status: 'ok',
  db: { status: 'degraded', ms: 12.5, hosts: ['a', 'b'], nested: { a: [{ a: 1 }, { a: null }] } },
  version: '1.2.3',
  checks: Array.from({ length: 5 }, (_, i) => ({ name: `check ${i}`, ok: i % 2 === 0, ms: i })),
}
const token = { access_token: 'abc', token_type: 'Bearer', expires_in: 3600, scope: 'read' }
const receipt = { ok: true, message: 'sent', error: { code: 12, description: 'Nobody listens' }, id: 'abc' }
const gatusList = ['website', 'api'].map((name, i) => ({
  name,
  group: 'core',
  key: `core_${name}`,
  results: [0, 1].map((n) => ({ success: i === n, timestamp: `2026-03-02T10:0${n}:00.123456789Z`, duration: 1e6 })),
}))
const robotList = {
  stat: 'ok',
  pagination: { offset: 0, limit: 50, total: 2 },
  monitors: ['Shop', 'API'].map((name, i) => ({
    id: 700 + i,
    friendly_name: name,
    url: 'https://shop.example/',
    status: 2,
    port: '',
  })),
}

const kumaLabels = (name: string) =>
  `monitor_id="7",monitor_name="${name}",monitor_type="http",monitor_url="https://shop.example/",monitor_hostname="null",monitor_port="443"`
const kumaLines = ['Shop', 'Say \\"hi\\"\\\\ {now}'].map((name, i) => `monitor_status{${kumaLabels(name)}} ${i}`)
const kumaPage = utf8(['# TYPE monitor_status gauge', ...kumaLines, ''].join('\n'))
const kumaPart = fc.constantFrom(
  'a',
  '\\',
  '"',
  '=',
  '{',
  '}',
  ',',
  'é',
  '\n',
  ' ',
  'a="',
  '\\"',
  'a="b",',
  '\0',
  'monitor_status{',
)
const kumaText = fc.oneof(
  { arbitrary: mutatedText([kumaPage]), weight: 3 },
  // Labels, names and lines of the same text over and over.
  {
    arbitrary: fc
      .tuple(
        fc.array(kumaPart, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(1, 30, 3_000, 20_000),
        fc.constantFrom('', '"} 1', '} 1'),
      )
      .map(
        ([parts, count, end]) =>
          `# TYPE monitor_status gauge\nmonitor_status{${parts.join('').repeat(count)}${end}\n${kumaPage}`,
      ),
    weight: 2,
  },
  { arbitrary: fc.constantFrom(2, 2_000).map((count) => kumaPage.repeat(count)), weight: 1 },
)

const frames = fc.oneof(
  {
    arbitrary: mutatedText(['\x81\x05hello', '\x88\x02\x03\xe8', '\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff']),
    weight: 1,
  },
  // HTTP/2: settings, then the headers and a message of gRPC.
  {
    arbitrary: mutatedText([
      '\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\x05\0\0\0\x01\x88\0\0\x07\0\x01\0\0\0\x01\0\0\0\0\x02\x08\x01',
    ]),
    weight: 2,
  },
  { arbitrary: someBytes(200), weight: 1 },
)

const replies = fc.oneof(
  mutatedText(['220 mail.example ESMTP\r\n250-SIZE\r\n250 OK\r\n', '* OK [CAPABILITY IMAP4] ready\r\n', '+OK\r\n']),
  someBytes(2_000),
  fc.constantFrom('a'.repeat(60_000), '\0'.repeat(100_000), '250-x\r\n'.repeat(10_000), ''),
)

/** How a target is asked, and what it answers. */
export type TargetQuestion = 'HTTP' | 'KEYWORD' | 'WEBSOCKET' | 'GRPC_HEALTH' | 'TOKEN' | 'DIALOGUE'
export type Receiver = 'WEBHOOK' | 'GOTIFY' | 'NTFY'
export type Tool = 'KUMA' | 'GATUS' | 'UPTIMEROBOT'

export type AnswerCase =
  | { readonly to: 'check'; readonly question: TargetQuestion; readonly answer: Answer }
  | { readonly to: 'contact'; readonly channel: Receiver; readonly answer: Answer }
  /** One of each tool and organization, because runs begin once a second. */
  | { readonly to: 'shadow runs'; readonly answers: readonly { readonly tool: Tool; readonly answer: Answer }[] }

const checked = (question: TargetQuestion, answer: fc.Arbitrary<Answer>): fc.Arbitrary<AnswerCase> =>
  fc.record({ to: fc.constant('check' as const), question: fc.constant(question), answer })

const fromTool = (tool: Tool, content: fc.Arbitrary<string>) =>
  fc.record({ tool: fc.constant(tool), answer: responseWith(content) })

/** Organizations with shadow runs in a case. */
export const ORGANIZATIONS_WITH_RUNS = 10

const many = <T>(one: fc.Arbitrary<T>) =>
  fc.array(one, { minLength: ORGANIZATIONS_WITH_RUNS, maxLength: ORGANIZATIONS_WITH_RUNS, size: 'max' })
const shadowRuns: fc.Arbitrary<AnswerCase> = fc
  .tuple(
    many(fromTool('KUMA', kumaText)),
    many(fromTool('GATUS', contentLike(gatusList))),
    many(fromTool('UPTIMEROBOT', contentLike(robotList))),
  )
  .map((byTool) => ({ to: 'shadow runs' as const, answers: byTool.flat() }))

export const answerCase: fc.Arbitrary<AnswerCase> = fc.oneof(
  { arbitrary: checked('HTTP', responseWith(contentLike(health))), weight: 12 },
  { arbitrary: checked('KEYWORD', responseWith(contentLike(health))), weight: 2 },
  { arbitrary: checked('WEBSOCKET', responseWith(frames)), weight: 1 },
  { arbitrary: checked('GRPC_HEALTH', frames), weight: 2 },
  { arbitrary: checked('TOKEN', responseWith(contentLike(token))), weight: 4 },
  { arbitrary: checked('DIALOGUE', replies), weight: 3 },
  {
    arbitrary: fc.record({
      to: fc.constant('contact' as const),
      channel: fc.constantFrom<Receiver[]>('WEBHOOK', 'GOTIFY', 'NTFY'),
      answer: responseWith(contentLike(receipt)),
    }),
    weight: 6,
  },
  { arbitrary: shadowRuns, weight: 1 },
)
