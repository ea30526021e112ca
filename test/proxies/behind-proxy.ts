import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { findProgram } from '../faults/needs.ts'
import { type Child, Site } from '../faults/site.ts'
import { createPage } from '../publishing/public-site/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { claim, OWNER, PASSWORD } from '../support/person.ts'
import { freePort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

/** The names in docs/proxies.md. */
export const HOST = 'pharos.example.net'
export const DOMAIN = 'status.example.com'
/** Far below the 15 s after which the next comment would push a buffered event out. */
const EVENT_LIMIT_MS = 5_000
const START_LIMIT_MS = 60_000
const REQUEST_LIMIT_MS = 60_000

const docs = join(import.meta.dirname, '../../docs/proxies.md')

/** The first block of code below a heading of docs/proxies.md, so that what people copy is what is tested. */
export function documentedConfig(heading: string): string {
  const block = new RegExp(`^#+ ${heading}\\n[^]*?\\n\`\`\`\\n([^]*?)\`\`\``, 'm').exec(readFileSync(docs, 'utf8'))
  if (block?.[1] === undefined) throw new Error(`docs/proxies.md has no configuration below "${heading}"`)
  return block[1]
}

export interface ProxyOptions {
  readonly site: Site
  /** `127.0.0.1:PORT` of Pharos. */
  readonly upstream: string
  /** The port that the proxy must listen on. */
  readonly port: number
}

export interface RunningProxy {
  readonly child: Child
  /** The certificate of the authority that clients trust; read when the proxy listens. */
  ca(): string
}

interface Asked {
  readonly host?: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Scene {
  readonly server: TestServer
  /** Sends a request to the proxy from 127.0.0.2, over TLS. */
  ask(path: string, asked?: Asked): Promise<IncomingMessage>
}

/** What must hold behind every proxy. `more` adds tests of one of them. */
export function testBehind(
  program: string,
  start: (options: ProxyOptions) => RunningProxy,
  more: (scene: () => Scene) => void = () => undefined,
): void {
  const skip = skipWithout(findProgram(program) !== undefined, `${program} (Debian: ${program})`)
  suite(`behind ${program}`, { skip }, () => {
    let site: Site
    let server: TestServer
    let scene: Scene
    before(async () => {
      site = new Site()
      const env = { PHAROS_BASE_URL: `http://${HOST}`, PHAROS_TRUST_PROXY: '127.0.0.1', PHAROS_ROLES: 'api' }
      server = await startTestServer('sqlite', { env })
      await claim(server)
      await createPage(server.client(), [], { name: 'Acme', customDomain: DOMAIN })
      const port = await freePort()
      const proxy = start({ site, upstream: new URL(server.url).host, port })
      await untilListening(proxy.child, port)
      const ca = await eventually(async () => proxy.ca(), START_LIMIT_MS)
      scene = {
        server,
        ask: (path, { host = HOST, ...asked } = {}) =>
          send(httpsRequest, { port, localAddress: '127.0.0.2', servername: host, ca }, path, { host, ...asked }),
      }
    })
    after(async () => {
      await server?.stop()
      await site?.[Symbol.asyncDispose]()
    })

    test('address and scheme of the client come from the proxy alone', async () => {
      const spoofed = { 'x-forwarded-for': '198.51.100.9' }
      const signedIn = await signIn(scene.ask, { ...spoofed, 'x-forwarded-proto': 'http' })
      assert.match(signedIn.cookie, /^__Host-pharos=/)
      assert.equal(await addressOf(scene.ask, signedIn), '127.0.0.2')

      const port = Number(new URL(scene.server.url).port)
      const direct: Scene['ask'] = (path, asked) =>
        send(httpRequest, { port, localAddress: '127.0.0.3' }, path, { host: HOST, ...asked })
      const past = await signIn(direct, { ...spoofed, 'x-forwarded-proto': 'https' })
      assert.match(past.cookie, /^pharos=/)
      assert.equal(await addressOf(direct, past), '127.0.0.3')
    })

    test('events of the dashboard arrive at once', async () => {
      const { cookie } = await signIn(scene.ask)
      const stream = await scene.ask('/app/api/events', { headers: { cookie } })
      assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8')
      let heard = ''
      stream.on('data', (chunk) => {
        heard += chunk
      })
      await eventually(async () => assert.match(heard, /event: hello/), EVENT_LIMIT_MS)
      const { body } = await scene.server.client().post('/monitors', { name: 'Job', type: 'CRON' })
      await eventually(async () => assert.ok(heard.includes(body.id), heard), EVENT_LIMIT_MS)
      stream.destroy()
    })

    test('the host selects the status page, and X-Forwarded-Host does not', async () => {
      assert.match(await text(await scene.ask('/', { host: DOMAIN })), /<bdi>Acme<\/bdi>/)
      const other = await scene.ask('/', { headers: { 'x-forwarded-host': DOMAIN } })
      assert.doesNotMatch(await text(other), /<bdi>Acme<\/bdi>/)
    })

    test('visitors cannot ask which domains have a page', async () => {
      const answer = await scene.ask(`/internal/tls-ask?domain=${DOMAIN}`)
      assert.equal(answer.statusCode, 404)
      answer.resume()
    })

    more(() => scene)
  })
}

type Connection = { port: number; localAddress: string; servername?: string; ca?: string }

function send(
  request: typeof httpsRequest,
  connection: Connection,
  path: string,
  { host = '', method = 'GET', body, headers = {} }: Asked,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const options = {
      ...connection,
      host: '127.0.0.1',
      path,
      method,
      agent: false,
      // A proxy that buffers the event stream sends not even its head.
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      headers: { host, ...json, ...headers },
    }
    const sent = request(options, resolve).on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

interface SignedIn {
  readonly cookie: string
}

async function signIn(ask: Scene['ask'], headers: Record<string, string> = {}): Promise<SignedIn> {
  const answer = await ask('/app/api/sign-in', {
    method: 'POST',
    body: { email: OWNER, password: PASSWORD },
    headers: { origin: `http://${HOST}`, ...headers },
  })
  assert.equal(answer.statusCode, 200, await text(answer))
  const cookies = (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0] ?? '')
  return { cookie: cookies.find((cookie) => !cookie.includes('-browser=')) ?? '' }
}

/** The address of the current session, as its owner sees it. */
async function addressOf(ask: Scene['ask'], { cookie }: SignedIn): Promise<string> {
  const { data } = JSON.parse(await text(await ask('/app/api/sessions', { headers: { cookie } })))
  return data.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).address
}

async function untilListening(child: Child, port: number): Promise<void> {
  await eventually(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1', resolve).on('error', () => reject(new Error(child.output.text)))
    await promise.finally(() => socket.destroy())
  }, START_LIMIT_MS)
}
