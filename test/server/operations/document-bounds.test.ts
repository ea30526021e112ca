import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { operationAt } from '../../../src/cli/api/document.ts'
import { useApi } from '../../support/api.ts'
import { publicContract } from '../../support/conformance.ts'
import type { Client } from '../../support/server.ts'

const api = useApi('sqlite', { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

function documented(method: string, path: string): ValidateFunction {
  const key = `${method} ${path}`
  const known = validators.get(key) ?? ajv.compile(operationAt(method, path).body() ?? {})
  validators.set(key, known)
  return known
}

interface Case {
  readonly path: string
  readonly body: (value: unknown) => object
  readonly accepted: readonly unknown[]
  readonly refused: readonly unknown[]
}

const monitor = { name: 'A', type: 'HTTP', url: 'http://127.0.0.1:9/' }
const window = { name: 'A', allMonitors: true, startsAt: '2098-12-31T00:00:00Z' }
const legacyPath = '/monitors/{monitorId}/legacy-address'
const requestPath = '/monitors/{monitorId}/request'

const creations: readonly Case[] = [
  {
    path: '/maintenance-windows',
    body: (endsAt) => ({ ...window, endsAt }),
    accepted: ['2098-12-31T23:59Z', '2098-12-31T23:59:60Z', '2099-01-01T00:00:00.5-23:59'],
    refused: [
      '2098-13-01T00:00Z',
      '2098-12-32T00:00Z',
      '2098-12-01T24:00Z',
      '2098-12-01T00:60Z',
      '2098-12-01T00:00+25:00',
    ],
  },
  {
    path: '/monitors',
    body: (value) => ({ ...monitor, requestHeaders: { 'X-A': value } }),
    accepted: ['', 'a\tb', 'caf\u00e9'],
    refused: ['a\nb', '\u0000', '\u0100'],
  },
  {
    path: '/webhook-endpoints',
    body: (eventTypes) => ({ url: 'https://hooks.example/', eventTypes }),
    accepted: [['*'], ['incident.opened']],
    refused: [['*', 'incident.opened'], ['*', '*'], []],
  },
  {
    path: '/webhook-endpoints',
    body: (url) => ({ url }),
    accepted: [
      'https://hooks.example',
      'https://hooks.example/@a',
      'https://@hooks.example/',
      'HTTPS://hooks.example?a@b',
    ],
    refused: ['https://ada@hooks.example/', 'https://ada:secret@hooks.example/', 'hooks.example'],
  },
]

const options: readonly Case[] = [
  {
    path: requestPath,
    body: (proxyUrl) => ({ proxyUrl }),
    accepted: [
      'http://proxy.example:3128',
      'socks5://ada:b@proxy.example:1080',
      'https://proxy.example/',
      'http://p.example?#',
    ],
    refused: ['http://proxy.example/a', 'http://proxy.example/?a', 'http://proxy.example#a', 'ftp://proxy.example'],
  },
  {
    path: legacyPath,
    body: (body) => body as object,
    accepted: [
      { tool: 'KUMA', token: 'd0w7Kx4pQz' },
      { tool: 'GATUS', token: 'a_b', bearer: '0123456789' },
    ],
    refused: [
      { tool: 'KUMA', token: 'd0w7Kx4pQz', bearer: '0123456789' },
      { tool: 'KUMA', token: 'short' },
      { tool: 'GATUS', token: 'a_b' },
      { tool: 'GATUS', token: 'a_b', bearer: 'short' },
    ],
  },
]

async function agree(client: Client, method: 'POST' | 'PUT', at: string, { path, body, accepted, refused }: Case) {
  const validate = documented(method, path)
  for (const value of [...accepted, ...refused]) {
    const isAccepted = accepted.includes(value)
    const { status, body: answer } = await client.send(method, at, body(value))
    assert.equal(status < 300, isAccepted, `the server: ${JSON.stringify([path, value, answer])}`)
    assert.equal(validate(body(value)), isAccepted, `the document: ${JSON.stringify([path, value])}`)
  }
}

test('the document has the bounds that the server enforces', async () => {
  const { client } = await api.tenant()
  for (const each of creations) await agree(client, 'POST', each.path, each)
  for (const each of options) {
    const type = each.path === legacyPath ? 'CRON' : 'HTTP'
    const { id } = (await client.post('/monitors', { ...monitor, type, ...(type === 'CRON' && { url: null }) })).body
    await agree(client, 'PUT', each.path.replace('{monitorId}', id), each)
  }
})

test('every content of a request and of a success has an example', () => {
  const bare = Object.entries(publicContract.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
      return [requestBody, success].flatMap((part) => {
        const content = (part as { content?: Record<string, object> } | undefined)?.content ?? {}
        const without = Object.entries(content).filter(([, media]) => !('example' in media) && !('examples' in media))
        return without.map(([type]) => `${method} ${path} ${type}`)
      })
    }),
  )
  // Nothing is sent to operations with an empty body.
  assert.deepEqual(
    bare.filter((place) => !/(pause|resume|check|test|retry)/.test(place)),
    [],
  )
})
