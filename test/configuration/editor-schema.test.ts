import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { useApi } from '../support/api.ts'
import { apply, everything } from './support.ts'

/** The value with one of its texts replaced, once for each text. Names are no texts. */
function* withOneReplaced(value: unknown, text: string, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (typeof value === 'string') yield [path, text]
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    for (const [inner, replaced] of withOneReplaced(member, text, `${path}.${name}`)) {
      yield [inner, Array.isArray(value) ? value.with(Number(name), replaced) : { ...value, [name]: replaced }]
    }
  }
}

const more = {
  monitors: {
    slow: {
      name: 'Slow',
      type: 'KEYWORD',
      url: 'https://shop.example/',
      keyword: 'ok',
      keywordMatch: 'EXISTS',
      method: 'HEAD',
    },
    dns: { name: 'Names', type: 'DNS', url: 'shop.example', dnsRecordType: 'A', dnsExpected: '192.0.2.1' },
    mail: { name: 'Mail', type: 'PORT', host: 'mail.example', port: 25, dialogue: { preset: 'SMTP' } },
    cache: {
      name: 'Cache',
      type: 'PORT',
      host: 'c.example',
      port: 6379,
      dialogue: { steps: [{ send: 'PING', expect: 'PONG' }] },
    },
    shop: {
      ...everything.monitors.shop,
      assertions: [
        { source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok', severity: 'DEGRADED' },
        { source: 'HEADER', path: 'X-Cache', operator: 'MATCHES', value: '^HIT' },
      ],
      request: {
        auth: {
          type: 'OAUTH2_CLIENT_CREDENTIALS',
          tokenUrl: 'https://id.example/token',
          clientId: 'a',
          clientSecret: 'b',
        },
        proxyUrl: 'http://proxy.example:3128',
        resolver: '192.0.2.53:53',
      },
    },
  },
  contacts: {
    page: { name: 'Page', channel: 'PAGERDUTY', settings: { routingKey: '0123456789abcdef0123456789abcdef' } },
    mail: { name: 'Mail', channel: 'EMAIL', settings: { address: 'ops@example.com' }, kinds: ['OPENED'] },
  },
}

const documents = [everything, { version: 1, ...more }]

describe('the schema for editors', () => {
  const api = useApi('sqlite')
  let validate: ValidateFunction

  function faultsIn(document: unknown): string[] {
    validate(document)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  test('is compressed, has an ETag, and compiles in the strict mode of Ajv', async () => {
    const url = `${api.server.url}/schema/configuration.json`
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(answer.headers.get('content-encoding'), 'gzip')
    assert.equal(answer.headers.get('content-type'), 'application/schema+json')
    const schema = (await answer.json()) as { $defs: { statusPages: { properties: object } } }
    assert.ok('sections' in schema.$defs.statusPages.properties)
    const etag = answer.headers.get('etag') ?? ''
    assert.match(etag, /^"/)
    const again = await fetch(url, { headers: { 'accept-encoding': 'gzip', 'if-none-match': etag } })
    assert.equal(again.status, 304)
    validate = new Ajv2020({ strict: true }).compile(schema)
  })

  test('accepts a variable in every text of a document', () => {
    for (const document of documents) {
      assert.deepEqual(faultsIn(document), [])
      const places = [...withOneReplaced(document, `\${NAME}`)]
      assert.ok(places.length > 30)
      for (const [path, changed] of places) assert.deepEqual([path, ...faultsIn(changed)], [path])
    }
  })

  test('accepts what the server exports', async () => {
    const { client } = await api.tenant()
    for (const document of documents) await apply(client, document)
    for (const source of ['shop-team', 'default']) {
      const { body } = await client.get(`/configuration?source=${source}`)
      assert.ok(JSON.stringify(body).includes('${'))
      assert.deepEqual(faultsIn(body), [], source)
    }
  })

  test('accepts defaults of any type of monitor and channel', () => {
    const defaults = {
      monitors: { type: 'HTTP', url: 'https://shop.example/', host: null },
      contacts: { channel: 'SLACK', settings: { webhookUrl: 'https://hooks.example/' } },
    }
    assert.deepEqual(faultsIn({ version: 1, defaults }), [])
    assert.notDeepEqual(faultsIn({ version: 1, defaults: { contacts: { channel: 'FAX' } } }), [])
  })

  test('still finds wrong texts, fields and types', () => {
    const monitor = { name: 'Shop', type: 'HTTP', url: 'https://shop.example/' }
    const wrong = [
      { monitors: { shop: { ...monitor, url: 'shop.example' } } },
      { monitors: { shop: { ...monitor, type: 'HTPP' } } },
      { monitors: { shop: { ...monitor, interval: 60 } } },
      { monitors: { shop: { ...monitor, intervalSeconds: `\${SECONDS}` } } },
      { monitors: { shop: { ...monitor, method: 'FETCH' } } },
      { monitors: { Shop: monitor } },
      { contacts: { ops: { name: 'Ops', channel: 'SLACK', settings: { webhookUrl: 'none' } } } },
      { source: 'Shop Team' },
    ]
    for (const document of wrong)
      assert.notDeepEqual(faultsIn({ version: 1, ...document }), [], JSON.stringify(document))
  })
})
