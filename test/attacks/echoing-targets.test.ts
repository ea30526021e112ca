import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import net from 'node:net'
import { describe, test } from 'node:test'
import type { Assertion, RequestOptions } from '../../src/contract/check-options.ts'
import type { Sample } from '../../src/contract/probe.ts'
import type { FullTarget } from '../../src/monitoring/monitor-types/definitions.ts'
import { createProbes } from '../../src/monitoring/probes/create-probes.ts'
import { englishText } from '../../src/reasons/english.ts'
import { isReason } from '../../src/reasons/reason.ts'
import { targetOf } from '../monitoring/monitor-types/target.ts'
import { listen, never } from '../outbound/fixtures.ts'

const runProbe = createProbes({
  privateTargets: 'allow',
  confirmDelaysSeconds: [],
  dnsServers: [],
  rdapBootstrap: 'http://127.0.0.1:9/',
})
const probe = (type: string, parts: Partial<FullTarget>) => runProbe(type, targetOf(parts), never)

/** Every part begins like this, so that a part of it is found too. */
const START = 'S3c&<'
const HEADER = `${START}header/+="'`
const BODY = `${START}body\\%41`
const PASSWORD = `${START}pass wörd`
const TOKEN = 'S3c-token.0123456789'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const inHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Nothing of a secret, in any spelling: each has one of these at its beginning. */
const TRACE = /S3c|UzNj|S3%63/

function textOf(sample: Sample): string {
  return JSON.stringify(sample, (_, value) => (isReason(value) ? englishText(value) : value))
}

function expectClean(sample: Sample): void {
  const text = textOf(sample)
  assert.doesNotMatch(JSON.stringify(sample), TRACE)
  assert.doesNotMatch(text, TRACE)
  assert.match(text, /\*\*\*/, 'the target repeated something')
}

/** The request in the forms in which debug pages show it. */
async function debugPage(request: IncomingMessage): Promise<string> {
  const body = (await request.toArray()).join('')
  const { authorization = '' } = request.headers
  const login = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
  const facts = JSON.stringify({ ...request.headers, login, password: login.split(':')[1], body })
  return [facts, inHtml(facts), encodeURIComponent(facts), new URLSearchParams({ facts }), inHtml(body)].join('\n')
}

/** Answers `/500` with that status, and so on. */
const startDebugSite = () =>
  listen(
    http.createServer(async (request, response) => {
      const page = await debugPage(request)
      const shown = request.headers['x-api-key'] ?? request.headers.authorization ?? ''
      const status = Number(request.url?.slice(1, 4))
      const headers = {
        'content-type': 'text/html',
        server: `debug ${shown}`,
        ...(status === 302 && { location: `/200/${encodeURIComponent(`${shown}`)}` }),
      }
      response.writeHead(status, headers).end(`<title>${inHtml(`${shown}`)}</title>${page}`)
    }),
  )

const sent = {
  method: 'POST',
  requestHeaders: { 'X-API-Key': HEADER, Cookie: `theme=dark; sid=${TOKEN}` },
  requestBody: JSON.stringify({ user: 'probe', password: BODY }),
  request: { auth: { type: 'BASIC', username: 'probe', password: PASSWORD } },
} as const satisfies Partial<FullTarget>

const at = (port: number, path: string) => ({ url: `http://127.0.0.1:${port}${path}` })

describe('a target that repeats the request', () => {
  test('gets no secret into excerpt and evidence of a failed check', async () => {
    await using site = await startDebugSite()
    const sample = await probe('HTTP', { ...sent, ...at(site.port, '/500') })
    assert.ok(sample.outcome === 'failure' && sample.excerpt && sample.page, JSON.stringify(sample))
    assert.match(sample.excerpt, /"content-length":"/, 'what is no secret stays')
    assert.equal(sample.page.fields.title, '***')
    assert.equal(sample.page.fields.server, 'server: debug ***')
    expectClean(sample)
  })

  test('gets no secret into the address and headers of a redirect', async () => {
    await using site = await startDebugSite()
    const followed = await probe('HTTP', { ...sent, ...at(site.port, '/302') })
    assert.equal(followed.outcome === 'success' && followed.page?.fields.finalUrl?.endsWith('/200/***'), true)
    expectClean(followed)
    const kept = await probe('HTTP', { ...sent, ...at(site.port, '/302'), followRedirects: false })
    assert.equal(kept.outcome === 'success' && kept.page?.fields.location, '/200/***')
    expectClean(kept)
  })

  test('gets no secret into the excerpt of a keyword check', async () => {
    await using site = await startDebugSite()
    const url = `http://${encodeURIComponent(PASSWORD)}:x@127.0.0.1:${site.port}/200`
    const sample = await probe('KEYWORD', { ...sent, url, request: undefined as never, keyword: 'fine' })
    assert.ok(sample.outcome === 'failure' && sample.code === 'KEYWORD' && sample.excerpt)
    expectClean(sample)
  })
})

describe('a target whose body repeats the request', () => {
  test('gets no secret into what assertions found, nor into the body that a test shows', async () => {
    await using site = await listen(
      http.createServer(async (request, response) => {
        const { authorization, 'x-api-key': key } = request.headers
        const long = 'x'.repeat(96)
        response
          .setHeader('x-echo', `${key}`)
          .end(JSON.stringify({ key, cut: `${long}${key}`, authorization, page: await debugPage(request) }))
      }),
    )
    const fails = (part: Partial<Assertion>) =>
      ({ operator: 'EQUALS', value: 'ok', severity: 'DOWN', ...part }) as Assertion
    const all = [
      fails({ source: 'JSON', path: '$.key' }),
      fails({ source: 'JSON', path: '$.cut', severity: 'DEGRADED' }),
      fails({ source: 'JSON', path: '$.*', operator: 'MATCHES', value: '^ok$' }),
      fails({ source: 'HEADER', path: 'x-echo' }),
      fails({ source: 'BODY' }),
    ]
    for (const assertion of all) {
      const parts = { ...sent, ...at(site.port, '/'), assertions: { assertions: [assertion] } }
      expectClean(await probe('HTTP', parts))
      const trial = await probe('HTTP', { ...parts, isTrial: true })
      assert.ok(trial.outcome !== 'inconclusive' && trial.body && trial.assertions?.length === 1)
      expectClean(trial)
    }
  })

  test('gets no beginning of a secret into an excerpt that is cut anywhere in it', async () => {
    await using site = await listen(
      http.createServer((request, response) => {
        const key = `${request.headers['x-api-key']}`
        const [before = '', spelling] = request.url?.slice(1).split('/') ?? []
        const spelled = { plain: key, json: JSON.stringify(key), base64: base64(key), percent: encodeURIComponent(key) }
        response.writeHead(500).end(`${'-'.repeat(Number(before))}${spelled[spelling as 'plain']}`)
      }),
    )
    for (const spelling of ['plain', 'json', 'base64', 'percent']) {
      for (let shown = 1; shown <= 24; shown += 1) {
        const url = `http://127.0.0.1:${site.port}/${2048 - shown}/${spelling}`
        const sample = await probe('HTTP', { url, requestHeaders: { 'X-API-Key': HEADER } })
        const excerpt = sample.outcome === 'failure' ? (sample.excerpt ?? '') : ''
        assert.ok(excerpt.length >= 2020)
        assert.doesNotMatch(excerpt, TRACE, `${spelling}, ${shown} characters`)
      }
    }
  })

  test('gets no digest, no token of OAuth 2.0 and no client secret into the sample', async () => {
    await using site = await listen(
      http.createServer(async (request, response) => {
        const { authorization = '' } = request.headers
        if (request.url === '/token') return response.end(JSON.stringify({ access_token: TOKEN }))
        if (request.url === '/refused') return response.writeHead(400).end('{"error":"secret_of_the_client"}')
        const challenge = { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' }
        const status = request.url === '/digest' ? 401 : 500
        return response.writeHead(status, challenge).end(`You sent ${authorization}, ${base64(authorization.slice(7))}`)
      }),
    )
    const check = async (path: string, auth: NonNullable<RequestOptions['auth']>) => {
      const sample = await probe('HTTP', { url: `http://127.0.0.1:${site.port}${path}`, request: { auth } })
      expectClean(sample)
      return textOf(sample)
    }
    const digest = await check('/digest', { type: 'DIGEST', username: 'probe', password: PASSWORD })
    assert.match(digest, /username=\\"probe\\"/)
    assert.match(digest, /response=\\"\*\*\*\\"/)
    await check('/', { type: 'BEARER', token: TOKEN })
    const client = (tokenPath: string, clientSecret: string) => {
      const tokenUrl = `http://127.0.0.1:${site.port}${tokenPath}`
      return { type: 'OAUTH2_CLIENT_CREDENTIALS', tokenUrl, clientId: 'probe', clientSecret } as const
    }
    // Twice: the second one has the token from the cache.
    for (let i = 0; i < 2; i += 1) await check('/', client('/token', PASSWORD))
    const refused = await check('/', client('/refused', 'secret_of_the_client'))
    assert.match(refused, /Token endpoint 127.0.0.1:\d+: HTTP 400 Bad Request \(\*\*\*\)/)
  })

  test('gets no secret into what is found in the answer to an upgrade to WebSocket', async () => {
    const server = http.createServer().on('upgrade', ({ headers }, socket) => {
      const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
      const accept = createHash('sha1').update(key).digest('base64')
      const fields = ['Upgrade: websocket', `Sec-WebSocket-Accept: ${accept}`, `Server: ${headers['x-api-key']}`]
      socket.end(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\n`)
    })
    await using site = await listen(server)
    const found = { source: 'HEADER', path: 'server', operator: 'EQUALS', value: 'x', severity: 'DOWN' } as const
    const request = { ...sent.request, protocol: 'WEBSOCKET' } as const
    expectClean(await probe('HTTP', { ...sent, ...at(site.port, '/'), request, assertions: { assertions: [found] } }))
  })
})

test('a proxy that repeats its login gets it into no sample', async () => {
  const refusal = ({ headers }: IncomingMessage) => {
    const login = headers['proxy-authorization'] ?? ''
    return `${login} ${Buffer.from(login.slice('Basic '.length), 'base64')}`
  }
  const server = http.createServer((request, response) => void response.writeHead(407).end(refusal(request)))
  server.on('connect', (request, socket) => {
    socket.end(`HTTP/1.1 407 ${base64(refusal(request))}\r\nx-login: ${base64(refusal(request))}\r\n\r\n`)
  })
  await using proxy = await listen(server)
  const proxyUrl = `http://probe:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`
  expectClean(await probe('HTTP', { url: 'http://127.0.0.1:1/', request: { proxyUrl } }))
  const tunnelled = await probe('HTTP', { url: 'https://127.0.0.1:1/', request: { proxyUrl } })
  assert.match(textOf(tunnelled), /HTTP 407 Proxy Authentication Required/)
  assert.doesNotMatch(JSON.stringify(tunnelled), TRACE)
})

describe('a server that repeats what a dialogue sends', () => {
  const startEcho = (before: string) =>
    listen(
      net.createServer((socket) => {
        socket.on('error', () => undefined)
        socket.on('data', (line) => socket.end(`${before}-ERR unknown command ${line}`))
      }),
    )
  const check = async (before: string, step: object) => {
    await using server = await startEcho(before)
    const dialogue = { transport: 'TCP', steps: [{ ...step, expect: '+OK' }] } as const
    return await probe('PORT', { host: '127.0.0.1', port: server.port, dialogue })
  }

  test('gets none of its words into the error, whether text or bytes', async () => {
    const line = `AUTH probe ${TOKEN}wörd\r\n`
    for (const step of [{ send: line }, { sendHex: Buffer.from(line).toString('hex') }]) {
      const sample = await check('', step)
      expectClean(sample)
      assert.match(textOf(sample), /received \\"-ERR unknown command \*\*\* \*\*\* \*\*\*\\\\r\\\\n\\"/)
    }
  })

  test('gets no beginning of a word into a reply that is cut in it', async () => {
    for (let before = 79; before < 99; before += 1) {
      const sample = await check('-'.repeat(before), { send: `${TOKEN}\r\n` })
      assert.match(JSON.stringify(sample), /…/)
      assert.doesNotMatch(JSON.stringify(sample), TRACE, `${before}`)
    }
  })
})
