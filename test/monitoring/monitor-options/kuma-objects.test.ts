/**
 * What monitors can express of an Uptime Kuma with one object of every kind: names and types of the 67 objects of a Kuma 2.5 that was
 * made to have all of them.
 */
import assert from 'node:assert/strict'
import { createHmac, hash } from 'node:crypto'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { validator } from '../../../src/contract/validate.ts'
import { tryMonitor } from '../../../src/monitoring/checks/test-settings.ts'
import { makeAuthority } from '../../support/certificates.ts'

/** Settings and `options`, as POST /monitors/try takes them. */
type Monitor = Readonly<Record<string, unknown>>

type Kuma = readonly [
  type: string,
  name: string,
  /** Empty: not at all. */
  monitors: readonly Monitor[],
  /** What is lost, or why there is nothing; undefined if nothing is lost. */
  loss?: string,
]

const web = (settings: object = {}, options?: object): Monitor => ({
  type: 'HTTP',
  url: 'https://www.example.com/',
  expectedStatus: Array.from({ length: 100 }, (_, i) => 200 + i),
  ...settings,
  ...(options && { options }),
})
const port = (number: number, dialogue?: object): Monitor => ({
  type: 'PORT',
  host: 'db.example.com',
  port: number,
  ...(dialogue && { options: { dialogue } }),
})
const dns = (dnsRecordType: string, ...assertions: readonly object[]): Monitor => ({
  type: 'DNS',
  url: 'example.com',
  dnsRecordType,
  options: { request: { resolver: '127.0.0.1:53' }, assertions: { assertions } },
})
const json = (path: string, operator: string, value: unknown) =>
  web({}, { assertions: { assertions: [{ source: 'JSON', path, operator, value }] } })
const request = (options: object) => web({}, { request: options })
const header = (name: string, value: string) => web({ requestHeaders: { [name]: value } })
const cron = (expectedPeriodSec: number, graceSeconds: number): Monitor => ({
  type: 'CRON',
  expectedPeriodSec,
  graceSeconds,
})

const authority = makeAuthority('Private')
const client = authority.issue({ hosts: ['probe'] })

/** A login to a RADIUS server, which must accept it. As the authenticator is fixed, the password is hidden in advance (RFC 2865). */
function accessRequest(): string {
  const [secret, authenticator] = [Buffer.from('fake-radius-secret'), Buffer.alloc(16, 7)]
  const md5 = (bytes: Buffer) => hash('md5', Buffer.concat([secret, bytes]), 'buffer')
  const blocks = [authenticator]
  const password = Buffer.alloc(32)
  password.write('fake-radius-password')
  for (let i = 0; i < password.length; i += 16) {
    const mask = md5(blocks.at(-1) as Buffer)
    blocks.push(Buffer.from(password.subarray(i, i + 16).map((byte, j) => byte ^ (mask[j] as number))))
  }
  const attribute = (type: number, value: Buffer) => Buffer.from([type, value.length + 2, ...value])
  const attributes = Buffer.concat([
    attribute(1, Buffer.from('probe')),
    attribute(2, Buffer.concat(blocks.slice(1))),
    attribute(30, Buffer.from('a')),
    attribute(31, Buffer.from('b')),
    attribute(80, Buffer.alloc(16)),
  ])
  const packet = Buffer.concat([Buffer.from([1, 1, 0, 20 + attributes.length]), authenticator, attributes])
  createHmac('md5', secret)
    .update(packet)
    .digest()
    .copy(packet, packet.length - 16)
  return packet.toString('hex')
}

const NO_LOGIN = 'the server must answer, but nobody logs in and no query runs'
const COMMAND = 'only by a command on that host (pharos run)'

const objects: readonly Kuma[] = [
  ['group', 'Production', [], 'groups become the label group=production; its own history is lost'],
  ['group', 'Databases', [], 'groups become the label group=databases; its own history is lost'],
  ['group', 'Home lab', [], 'groups become the label group=home-lab; its own history is lost'],
  [
    'http',
    'Website',
    [
      web(
        { verifySsl: false },
        { confirmation: { failureRetries: 2, retryDelaysSeconds: [30], recoverySuccesses: 1 } },
      ),
    ],
    'its message is not repeated every 5 checks',
  ],
  ['http', 'API health', [web()]],
  ['http', 'Login form (POST)', [web({ method: 'POST', requestBody: '{}' })], '101 status codes; at most 100'],
  [
    'http',
    'SOAP endpoint',
    [web({ method: 'POST', requestBody: '<x/>', requestHeaders: { 'content-type': 'text/xml' } })],
  ],
  ['http', 'PUT probe', [web({ method: 'PUT', requestBody: 'a=1' })]],
  ['http', 'Intranet (basic auth)', [request({ auth: { type: 'BASIC', username: 'probe', password: 'x' } })]],
  [
    'http',
    'OAuth2 API',
    [
      request({
        auth: {
          type: 'OAUTH2_CLIENT_CREDENTIALS',
          tokenUrl: 'https://login.example.com/token',
          clientId: 'probe',
          clientSecret: 'x',
          scope: 'read',
        },
      }),
    ],
  ],
  ['http', 'SharePoint (NTLM)', [web({ expectedStatus: [401] })], 'no NTLM: the server must ask for a login'],
  [
    'http',
    'mTLS gateway',
    [request({ clientCertificate: { cert: client.cert, key: client.key }, ca: authority.cert })],
  ],
  ['http', 'HEAD only', [web({ method: 'HEAD' })]],
  ['http', 'CORS preflight', [], 'the method OPTIONS is not in the contract'],
  ['http', 'Old domain redirects', [web({ followRedirects: false, expectedStatus: [301, 308] })]],
  ['http', 'Max three redirects', [request({ maxRedirects: 3 })]],
  ['http', 'Anything below 500', [web()], '400 status codes; at most 100'],
  ['http', 'NAS (self-signed)', [web({ verifySsl: false })]],
  ['http', 'Staging must stay off', [], 'a failure cannot count as up'],
  [
    'http',
    'CDN (cache busting)',
    [header('cache-control', 'no-cache')],
    'asks caches by a header, not by a random query',
  ],
  ['http', 'Via proxy', [request({ proxyUrl: 'http://user:secret@proxy.example.com:3128' })]],
  ['http', 'Old shop (paused)', [web()]],
  ['http', 'Größe & Übersicht – 日本語 🚀', [web()]],
  ['http', 'Flaky service', [web({ intervalSeconds: 30 })], 'every 30 instead of 20 seconds'],
  ['http', 'Decommissioned host', [web()]],
  ['keyword', 'Front page says Welcome', [web({ type: 'KEYWORD', keyword: 'Welcome' })]],
  ['keyword', 'No fatal error on page', [web({ type: 'KEYWORD', keyword: 'Fatal', keywordMatch: 'NOT_EXISTS' })]],
  ['json-query', 'Queue depth below 10', [json('$.queue.depth', 'LESS', 10)]],
  ['json-query', 'Status is ok', [json('$.status', 'EQUALS', 'ok')]],
  ['ping', 'Router', [{ type: 'PING', host: '192.0.2.1' }]],
  ['ping', 'Router IPv6', [{ type: 'PING', host: '2001:db8::1', options: { request: { addressFamily: 'IPV6' } } }]],
  ['port', 'PostgreSQL port', [port(5432)]],
  ['port', 'SMTP port', [port(25)]],
  ['port', 'Closed port', [port(9)]],
  ['dns', 'DNS A example.com', [dns('A', { source: 'RECORD', operator: 'EQUALS', value: '192.0.2.1' })]],
  ['dns', 'DNS MX example.com', [dns('MX')]],
  ['dns', 'DNS TXT (SPF)', [dns('TXT', { source: 'RECORD', operator: 'CONTAINS', value: 'v=spf1' })]],
  ['dns', 'DNS CAA', [], 'the record type is not in the contract'],
  ['dns', 'DNS SRV sip', [], 'the record type is not in the contract'],
  ['push', 'Nightly backup', [cron(86_400, 7_200)]],
  ['push', 'Hourly import', [cron(3_600, 60)]],
  ['docker', 'Container: redis', [cron(60, 60)], COMMAND],
  [
    'mqtt',
    'MQTT broker',
    // Log in, subscribe to health/ping and wait for a message.
    [
      port(1883, {
        steps: [
          {
            sendHex: '101c00044d51545404c2003c0006706861726f73000570726f6265000178',
            expect: '/^\\x20\\x02\\x00\\x00/',
          },
          { sendHex: '82100001000b6865616c74682f70696e6700', expect: 'pong' },
        ],
      }),
    ],
  ],
  ['postgres', 'PostgreSQL query', [port(5432, { preset: 'POSTGRESQL' })], NO_LOGIN],
  ['mysql', 'MySQL query', [port(3306, { preset: 'MYSQL' })], NO_LOGIN],
  ['sqlserver', 'SQL Server', [port(1433)], NO_LOGIN],
  ['mongodb', 'MongoDB', [port(27_017, { preset: 'MONGODB' })], NO_LOGIN],
  [
    'redis',
    'Redis',
    [
      port(6379, {
        steps: [
          { send: 'AUTH probe x\r\n', expect: '+OK' },
          { send: 'PING\r\n', expect: '+PONG' },
        ],
      }),
    ],
  ],
  ['grpc-keyword', 'gRPC health', [request({ protocol: 'GRPC_HEALTH' })], 'the standard health service, not its own'],
  ['real-browser', 'Checkout in a browser', [web()], 'the page is not rendered'],
  ['steam', 'Game server (Steam)', [port(27_015, { transport: 'UDP', preset: 'STEAM_A2S' })]],
  [
    'gamedig',
    'Minecraft',
    // The handshake for a status, then the question; the answer is JSON.
    [
      port(25_565, {
        steps: [{ sendHex: '1000000a6d632e6578616d706c6563dd01' }, { sendHex: '0100', expect: '"version"' }],
      }),
    ],
  ],
  ['radius', 'RADIUS', [port(1812, { transport: 'UDP', steps: [{ sendHex: accessRequest(), expect: '/^\\x02/' }] })]],
  ['kafka-producer', 'Kafka producer', [cron(300, 60)], COMMAND],
  ['tailscale-ping', 'Tailscale node', [cron(300, 60)], COMMAND],
  [
    'rabbitmq',
    'RabbitMQ cluster',
    [
      web(
        { url: 'http://mq.example.com:15672/api/health/checks/alarms', expectedStatus: [200] },
        { request: { auth: { type: 'BASIC', username: 'probe', password: 'x' } } },
      ),
    ],
  ],
  [
    'snmp',
    'Switch (SNMP)',
    // A question for sysUpTime; the answer is a number of ticks above 0.
    [
      port(161, {
        transport: 'UDP',
        steps: [
          {
            sendHex: '302902010104067075626c6963a01c02040000000102010002010030 0e300c06082b060102010103000500'.replace(
              ' ',
              '',
            ),
            expect: '/(?s)\\x2b\\x06\\x01\\x02\\x01\\x01\\x03\\x00\\x43.\\x00*[^\\x00]/',
          },
        ],
      }),
    ],
  ],
  ['smtp', 'Mail server (SMTP)', [port(25, { preset: 'SMTP' })]],
  ['websocket-upgrade', 'WebSocket', [request({ protocol: 'WEBSOCKET' })]],
  ['manual', 'Manual status', [], 'a status that somebody sets is not a check'],
  ['sip-options', 'SIP trunk', [port(5060, { transport: 'UDP', preset: 'SIP' })]],
  ['system-service', 'nginx.service', [cron(300, 60)], COMMAND],
  ['ntp', 'Time server', [port(123, { transport: 'UDP', preset: 'NTP' })], 'the offset of its clock is not compared'],
  ['oracledb', 'Oracle', [port(1521)], NO_LOGIN],
  ['globalping', 'Globalping', [web()], 'checked from this installation, not from Europe'],
  ['http', 'Bearer token API', [request({ auth: { type: 'BEARER', token: 'x' } })]],
  ['http', 'Domain expiry watch', [web(), { type: 'DOMAIN', url: 'example.com' }]],
]

const isGroup = ([type]: Kuma) => type === 'group'

test('most objects of an Uptime Kuma can be expressed without loss', () => {
  assert.equal(objects.length, 67)
  const full = objects.filter(([, , , loss]) => loss === undefined)
  const none = objects.filter((object) => object[2].length === 0 && !isGroup(object))
  assert.ok(full.length >= 40, `${full.length} without loss`)
  assert.ok(none.length <= 13, `${none.length} not at all`)
})

test('the server accepts what the table says', () => {
  const validate = validator(tryMonitor.body as TSchema, 'body', (body) => tryMonitor.refine?.(body, {} as never) ?? [])
  for (const [, name, monitors] of objects)
    for (const monitor of monitors) {
      const result = validate({ name, ...monitor })
      assert.deepEqual('faults' in result ? result.faults : [], [], name)
    }
})
