import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Tool } from '../../src/shadow-runs/verdicts.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** An answer of a tool. */
interface ToolAnswer {
  readonly body: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface HostileAnswer {
  readonly tool: Tool
  /** What is hostile about it. */
  readonly name: string
  /** Of the page with this number. */
  readonly answer: (page: number) => ToolAnswer
  /** The error of the run; null if it is read like any other answer. */
  readonly error: RegExp | null
  /** How many pages are asked for, if the tool answers in pages. */
  readonly pages?: number
}

const TOO_LARGE = /^The response is larger than 1024 KiB with its headers$/
const TOO_MANY = /^\w+ ?\w* lists more than 10,000 monitors\. A shadow run compares at most 10,000\.$/
const NOT_JSON = /^The answer is not the JSON of \w+\. Check the address\.$/

function upTo(bytes: number, part: (i: number) => string, between = ','): string {
  const parts: string[] = []
  for (let length = 0, i = 0; ; i += 1) {
    const next = part(i)
    length += next.length + between.length
    if (length > bytes) return parts.join(between)
    parts.push(next)
  }
}

type Case = readonly [name: string, text: string | Buffer, error: RegExp | null, headers?: Record<string, string>]

const fixed = (tool: Tool, cases: readonly Case[]): HostileAnswer[] =>
  cases.map(([name, text, error, headers = {}]) => {
    const body = Buffer.from(text)
    return { tool, name, error, answer: () => ({ body, headers }) }
  })

const PAGE_BYTES = 1000 * KIB
const KUMA_HEAD = '# TYPE monitor_status gauge\n'
const status = (labels: string) => `monitor_status{${labels}} 1`
const kumaLines = (labels: (i: number) => string) => KUMA_HEAD + upTo(PAGE_BYTES, (i) => status(labels(i)), '\n')

function kumaAnswers(): HostileAnswer[] {
  return fixed('KUMA', [
    ['40 KB without a label', `${KUMA_HEAD}${status('a'.repeat(40_000))}\n`, null],
    ['a line without a label', `${KUMA_HEAD}${status('a'.repeat(PAGE_BYTES))}\n`, null],
    ['a label that does not end', `${KUMA_HEAD}monitor_status{a="${'\\"'.repeat(PAGE_BYTES / 2)}`, null],
    ['labels that do not end', `${KUMA_HEAD}monitor_status{${'a="'.repeat(PAGE_BYTES / 3)}`, null],
    ['many labels', `${KUMA_HEAD}${status(upTo(PAGE_BYTES, (i) => `l${i}="v"`))}`, null],
    ['spaces in place of a value', `${KUMA_HEAD}monitor_status{monitor_name="a"}${' '.repeat(PAGE_BYTES)}`, null],
    ['many lines without a name', kumaLines(() => ''), null],
    ['the metric within one line', KUMA_HEAD + 'monitor_status{'.repeat(PAGE_BYTES / 15), null],
    ['30,000 monitors', kumaLines((i) => `monitor_name="${i.toString(36)}"`), TOO_MANY],
    ['addresses of slashes', kumaLines((i) => `monitor_name="m${i}",monitor_url="${'/'.repeat(2_000)}x${i}"`), null],
    ['long names with the same beginning', kumaLines((i) => `monitor_name="${'n'.repeat(900)}${i}"`), null],
    ['bytes that are no text', Buffer.concat([Buffer.from(KUMA_HEAD), Buffer.alloc(PAGE_BYTES, 0xff)]), null],
    ['16 MiB', KUMA_HEAD + 'x'.repeat(16 * MIB), TOO_LARGE],
    [
      'gzip that nobody asked for',
      gzipSync(KUMA_HEAD + 'x'.repeat(16 * MIB)),
      /^The answer is not the metrics page of Uptime Kuma\. Check the address\.$/,
      { 'content-encoding': 'gzip' },
    ],
  ])
}

function gatusAnswers(): HostileAnswer[] {
  const list = (part: (i: number) => string) => `[${upTo(PAGE_BYTES, part)}]`
  const beyond = /^The answer of Gatus is over the limit of 100,000 (keys|list items) in a page\.$/
  return fixed('GATUS', [
    ['16 MiB of lists', `[${'[],'.repeat((16 * MIB) / 3)}[]]`, TOO_LARGE],
    ['lists', list(() => '[]'), beyond],
    ['keys', `[{${upTo(PAGE_BYTES, (i) => `"${i.toString(36)}":0`)}}]`, beyond],
    ['120,000 endpoints', list(() => '{}'), beyond],
    ['40,000 endpoints', list((i) => `{"name":"n${i.toString(36)}","x":0}`), TOO_MANY],
    ['nested lists', '['.repeat(PAGE_BYTES), /^The answer of Gatus is nested deeper than 16 levels\.$/],
    ['nested objects', '{"a":'.repeat(PAGE_BYTES / 5), /^The answer of Gatus is nested deeper than 16 levels\.$/],
    ['one result after the other', `[{"name":"Shop","results":[${upTo(600 * KIB, () => '{"a":1}')}]}]`, null],
    ['long times', `[{"name":"Shop","results":[{"timestamp":"${'('.repeat(PAGE_BYTES)}"}]}]`, null],
    [
      'the same name 9,000 times',
      `[${Array.from({ length: 9_000 }, () => '{"name":"Shop","group":"g","key":"shop-1"}').join()}]`,
      null,
    ],
    ['a name of 1 MB', `[{"name":"${'\\u0000'.repeat(PAGE_BYTES / 6)}","group":"${'g'.repeat(1_000)}"}]`, null],
    [
      'wrong types',
      '[null,1,"a",{"name":1},{"name":"Shop","group":{"toString":1},"key":[[]],"results":{"length":9}},{"name":"A","results":[null,{"timestamp":{"valueOf":1}}]}]',
      null,
    ],
    ['an object', '{"__proto__":[]}', /^The answer is not the list of Gatus\. Check the address\.$/],
    ['nothing', '', NOT_JSON],
    ['bytes that are no text', Buffer.alloc(PAGE_BYTES, 0xff), NOT_JSON],
  ])
}

const robotPage = (total: unknown, monitors: string) =>
  `{"stat":"ok","pagination":{"total":${total}},"monitors":[${monitors}]}`
const robot = (i: number | string) => `{"id":${i},"friendly_name":"M${i}","status":2}`

function robotAnswers(): HostileAnswer[] {
  const fifty = Array.from({ length: 50 }, (_, i) => robot(i)).join()
  const full = upTo(250 * KIB, robot)
  const onlyError = (error: string) => `{"stat":"fail","error":${error}}`
  const paged: HostileAnswer[] = [
    {
      tool: 'UPTIMEROBOT',
      name: 'pages without end',
      answer: (page) => ({ body: Buffer.from(robotPage(Math.min(1_000, 51 + page * 50), fifty)) }),
      error: null,
      pages: 20,
    },
    {
      tool: 'UPTIMEROBOT',
      name: 'more monitors in each page than fit',
      answer: () => ({ body: Buffer.from(robotPage(1_000, full)) }),
      error: TOO_MANY,
    },
    {
      tool: 'UPTIMEROBOT',
      name: 'empty pages',
      answer: (page) => ({ body: Buffer.from(robotPage(1_000, page === 0 ? fifty : '')) }),
      error: null,
      pages: 2,
    },
  ]
  return [
    ...paged,
    ...fixed('UPTIMEROBOT', [
      ['a million monitors', robotPage(1_000_000, full), /^UptimeRobot lists 1,000,000 monitors\. .* at most 1,000\.$/],
      [
        'wrong types',
        robotPage('{"valueOf":1}', '{"id":{"toString":1},"friendly_name":"Shop","url":[],"port":{},"status":"2"}'),
        null,
      ],
      ['states that are names of fields', robotPage(1, '{"friendly_name":"Shop","status":"constructor"}'), null],
      [
        'an error of 200 KB',
        onlyError(`{"message":"\\u0000${'a\\u001b'.repeat(30_000)}"}`),
        /^UptimeRobot answered with an error: [a …]{1,200}$/,
      ],
      [
        'an error of wrong types',
        onlyError('{"type":{"toString":1},"message":[]}'),
        /^UptimeRobot answered with an error: no reason given$/,
      ],
      [
        'a page of 400 KiB',
        robotPage(1, upTo(400 * KIB, robot)),
        /^The response is larger than 256 KiB with its headers$/,
      ],
    ]),
  ]
}

export const hostileAnswers: readonly (() => HostileAnswer[])[] = [kumaAnswers, gatusAnswers, robotAnswers]

/** A server that answers each path with one of the answers. */
export async function startTools(): Promise<
  AsyncDisposable & { add(answer: HostileAnswer): string; asked(url: string): number }
> {
  const answers = new Map<string, HostileAnswer>()
  const asked = new Map<string, number>()
  const server = createServer(async (request, response) => {
    let form = ''
    for await (const chunk of request) form += chunk
    const path = `/${(request.url ?? '').split('/')[1]}`
    asked.set(path, (asked.get(path) ?? 0) + 1)
    const page = Number(new URLSearchParams(form).get('offset') ?? 0) / 50
    const { body, headers } = (answers.get(path) as HostileAnswer).answer(page)
    response.on('error', () => undefined)
    response.writeHead(200, { connection: 'close', ...headers }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    add(answer) {
      const path = `/${answers.size}`
      answers.set(path, answer)
      return origin + path
    },
    asked: (url) => asked.get(new URL(url).pathname) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
