import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import tls from 'node:tls'
import type { Assertion } from '../../../../src/contract/check-options.ts'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { probeDns } from '../../../../src/monitoring/monitor-types/dns/probe.ts'
import { probeHttp } from '../../../../src/monitoring/monitor-types/http/probe.ts'
import { probeKeyword } from '../../../../src/monitoring/monitor-types/keyword/probe.ts'
import { probeSsl } from '../../../../src/monitoring/monitor-types/ssl/probe.ts'
import { createDnsClient } from '../../../../src/outbound/dns-client.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { listen, never } from '../../../outbound/fixtures.ts'
import { DAY_MS, makeAuthority } from '../../../support/certificates.ts'
import { startDnsServer } from '../../../support/dns-server.ts'
import { shownSample } from '../../../support/reasons.ts'
import { targetOf } from '../target.ts'

const root = makeAuthority('Pharos test root')
const guard = createGuard({ policy: 'allow', ca: [root.cert] })

type Draft = Omit<Assertion, 'severity'> & Partial<Pick<Assertion, 'severity'>>

const asserting = (...drafts: readonly Draft[]) => ({
  assertions: { assertions: drafts.map((draft): Assertion => ({ severity: 'DOWN', ...draft })) },
})

interface Answer {
  readonly headers?: http.OutgoingHttpHeaders
  readonly body: string | Buffer
}

/** Probes a server that answers so. */
async function visit(answer: Answer, parts: Partial<FullTarget>, probe = probeHttp) {
  await using server = await listen(
    http.createServer((_request, response) => response.writeHead(200, answer.headers ?? {}).end(answer.body)),
  )
  const sample = await shownSample(
    probe(targetOf({ url: `http://127.0.0.1:${server.port}/`, ...parts } as never) as never, { guard }, never),
  )
  await server.quiet()
  return sample
}

const health: Answer = {
  headers: { 'content-type': 'application/json', 'x-version': '7' },
  body: '{"db":{"status":"degraded"},"queue":{"length":3}}',
}

test('HTTP: a response that fulfils all assertions is up', async () => {
  const sample = await visit(
    health,
    asserting(
      { source: 'JSON', path: '$.queue.length', operator: 'LESS', value: 10 },
      { source: 'HEADER', path: 'X-Version', operator: 'EQUALS', value: 7 },
      { source: 'STATUS', operator: 'EQUALS', value: 200 },
      { source: 'BODY', operator: 'CONTAINS', value: 'queue' },
      { source: 'RESPONSE_MS', operator: 'LESS', value: 3_000 },
    ),
  )
  assert.partialDeepStrictEqual(sample, { outcome: 'success', statusCode: 200 })
  assert.ok(!('degraded' in sample))
})

test('HTTP: a failure says what was found, and how many more there are', async () => {
  const sample = await visit(
    health,
    asserting(
      { source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok' },
      { source: 'HEADER', path: 'x-trace', operator: 'EXISTS' },
    ),
  )
  assert.partialDeepStrictEqual(sample, {
    outcome: 'failure',
    code: 'KEYWORD',
    kind: 'content',
    error: '$.db.status is "degraded", expected "ok" (and 1 more)',
    excerpt: health.body,
  })
})

test('HTTP: the body is downloaded only for assertions about it, and 1 MiB of it at most', async () => {
  let sent = 0
  const chunk = Buffer.alloc(64 * 1024, 'x')
  await using server = await listen(
    http.createServer((_request, response) => {
      const write = () => {
        while (sent < 1.9 * 1024 * 1024 && !response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return response.once('drain', write)
        }
        return response.end()
      }
      write()
    }),
  )
  const url = `http://127.0.0.1:${server.port}/`
  const probe = (...drafts: readonly Draft[]) =>
    shownSample(probeHttp(targetOf({ url, ...asserting(...drafts) }), { guard }, never))
  const cut = await probe({ source: 'JSON', path: '$', operator: 'EXISTS' })
  assert.partialDeepStrictEqual(cut, { error: '$ cannot be read: the body is larger than 1 MiB' })
  const text = await probe({ source: 'BODY', operator: 'NOT_CONTAINS', value: 'y' })
  assert.equal(text.outcome, 'success')
  await server.quiet()
})

test('HTTP: compressed bodies and other charsets are decoded', async () => {
  const { gzipSync } = await import('node:zlib')
  const body = gzipSync(Buffer.from('{"name":"Gr\xfc\xdfe"}', 'latin1'))
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json; charset=iso-8859-1' }
  const sample = await visit(
    { headers, body },
    asserting({ source: 'JSON', path: '$.name', operator: 'EQUALS', value: 'Grüße' }),
  )
  assert.equal(sample.outcome, 'success')
})

test('KEYWORD: the keyword and the assertions must hold', async () => {
  const pick = asserting({ source: 'JSON', path: '$.queue.length', operator: 'GREATER', value: 2 })
  const keyword = (parts: Partial<FullTarget>) => visit(health, parts, probeKeyword as never)
  assert.equal((await keyword({ keyword: 'queue', ...pick })).outcome, 'success')
  assert.partialDeepStrictEqual(await keyword({ keyword: 'gone', ...pick }), {
    error: 'Keyword "gone" not found in the response',
  })
  const more = asserting({ source: 'JSON', path: '$.queue.length', operator: 'GREATER', value: 3 })
  assert.partialDeepStrictEqual(await keyword({ keyword: 'queue', ...more }), {
    error: '$.queue.length is 3, expected more than 3',
  })
  const header = asserting({ source: 'HEADER', path: 'x-version', operator: 'EQUALS', value: '8' })
  assert.partialDeepStrictEqual(await keyword({ keyword: 'queue', ...header }), {
    error: 'Header x-version is "7", expected "8"',
  })
})

test('DNS: one of the records must fulfil an assertion', async () => {
  await using server = await startDnsServer(() => ({ records: ['192.0.2.1', '192.0.2.2'] }))
  const tools = { queryDns: createDnsClient([server.address], 'allow'), policy: 'allow', guard } as const
  const probe = (draft: Draft) =>
    shownSample(probeDns(targetOf({ url: 'example.test', ...asserting(draft) }), tools, never))
  const good = await probe({ source: 'RECORD', operator: 'EQUALS', value: '192.0.2.2' })
  assert.partialDeepStrictEqual(good, { outcome: 'success', records: ['192.0.2.1', '192.0.2.2'] })
  assert.partialDeepStrictEqual(await probe({ source: 'RECORD', operator: 'MATCHES', value: '^198\\.' }), {
    outcome: 'failure',
    code: 'KEYWORD',
    error: 'Record is "192.0.2.1", "192.0.2.2", expected it to match ^198\\.',
  })
})

test('SSL: the days that a certificate is still valid', async () => {
  const credentials = root.issue({ hosts: ['127.0.0.1'], validTo: new Date(Date.now() + 10.5 * DAY_MS) })
  const server = tls.createServer(credentials).on('secureConnection', (socket) => socket.on('error', () => {}))
  await using serving = await listen(server)
  const days = (value: number) =>
    shownSample(
      probeSsl(
        targetOf({
          url: `127.0.0.1:${serving.port}`,
          ...asserting({ source: 'CERTIFICATE_DAYS', operator: 'GREATER', value, severity: 'DEGRADED' }),
        }),
        { guard },
        never,
      ),
    )
  const good = await days(9)
  assert.ok(good.outcome === 'success' && good.degraded === undefined)
  assert.partialDeepStrictEqual(await days(14), {
    outcome: 'success',
    degraded: 'Certificate lifetime is 10 days, expected more than 14 days',
  })
})
