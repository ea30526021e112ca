import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const MIB = 1024 * 1024
const MAX_ANSWER = 16 * MIB

function filled(part: string, maxChars: number): string {
  return Array(Math.floor(maxChars / (part.length + 1)))
    .fill(part)
    .join(',')
}

const label = (name: string) => `# TYPE monitor_status gauge\nmonitor_status{${name}} 1\n`
const robotMonitor = (i: number) => `{"id":${i},"friendly_name":"m","url":"","status":2}`
const robotList = (monitors: string) => `{"stat":"ok","pagination":{"total":1000000},"monitors":[${monitors}]}`

/** Answers of other tools by the name of the tool, made when they are first needed. */
const answersOf: Readonly<Record<string, readonly (() => string)[]>> = {
  KUMA: [
    () => label('a'.repeat(40_000)),
    () => label('a'.repeat(MIB - 100)),
    () => label(`a="${'\\'.repeat(MIB - 100)}`),
    () => '# TYPE monitor_status gauge\n'.concat('monitor_status{monitor_name="m"} 1\n'.repeat(MAX_ANSWER / 40)),
  ],
  GATUS: [
    () => `[${filled('[]', MAX_ANSWER - 10)}]`,
    () => `[{${Array.from({ length: 800_000 }, (_, i) => `"k${i}":0`).join(',')}}]`,
    () => `[${filled('{"name":"m","results":[{"success":true}]}', MAX_ANSWER - 10)}]`,
    () => `[${filled('{"name":"m"}', MIB - 10)}]`,
  ],
  UPTIMEROBOT: [
    () => robotList(Array.from({ length: 110_000 }, (_, i) => robotMonitor(i)).join(',')),
    () => robotList(Array.from({ length: 50 }, (_, i) => robotMonitor(i)).join(',')),
    () => robotList(''),
  ],
}

const made = new Map<string, Buffer>()

/** Answers like one of the tools, `/tool/KUMA/2/…`, or repeats the request until the body has megabytes, `/echo`. */
export async function startForeignHost(): Promise<string> {
  const server = createServer(async (request, response) => {
    const [, kind = '', tool = '', which = '0'] = request.url?.split('/') ?? []
    if (kind === 'tool') {
      const answers = answersOf[tool] ?? []
      const at = Number(which) % answers.length
      const body = made.getOrInsertComputed(`${tool} ${at}`, () => Buffer.from(answers[at]?.() ?? ''))
      request.resume()
      response.end(body)
      return
    }
    const sent = JSON.stringify({ headers: request.headers, body: Buffer.concat(await request.toArray()).toString() })
    response.writeHead(500, { 'content-type': 'text/html', server: sent.slice(0, 2_000).replaceAll(/[^ -~]/g, '') })
    response.end(sent.repeat(Math.ceil(MIB / sent.length)))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
