import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolClients } from '../../../src/shadow-runs/tools/index.ts'

const { KUMA, GATUS, UPTIMEROBOT } = toolClients

/** Written by the exporter of Uptime Kuma 2.0.0-dev.0 (its `server/prometheus.js` and prom-client). */
const kumaPage = String.raw`# HELP monitor_response_time Monitor Response Time (ms)
# TYPE monitor_response_time gauge
monitor_response_time{monitor_name="Shop",monitor_type="http",monitor_url="https://shop.example/",monitor_hostname="null",monitor_port="null"} 12
monitor_response_time{monitor_name="Say \"hi\"\\ {now}",monitor_type="keyword",monitor_url="https://hi.example/a?b=c",monitor_hostname="null",monitor_port="null"} 12
monitor_response_time{monitor_name="Database",monitor_type="port",monitor_url="https://",monitor_hostname="db.example",monitor_port="5432"} 12
monitor_response_time{monitor_name="Backup",monitor_type="push",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 12
monitor_response_time{monitor_name="Everything",monitor_type="group",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 12
# HELP monitor_status Monitor Status (1 = UP, 0= DOWN, 2= PENDING, 3= MAINTENANCE)
# TYPE monitor_status gauge
monitor_status{monitor_name="Shop",monitor_type="http",monitor_url="https://shop.example/",monitor_hostname="null",monitor_port="null"} 1
monitor_status{monitor_name="Say \"hi\"\\ {now}",monitor_type="keyword",monitor_url="https://hi.example/a?b=c",monitor_hostname="null",monitor_port="null"} 0
monitor_status{monitor_name="Database",monitor_type="port",monitor_url="https://",monitor_hostname="db.example",monitor_port="5432"} 2
monitor_status{monitor_name="Backup",monitor_type="push",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 3
monitor_status{monitor_name="Everything",monitor_type="group",monitor_url="https://",monitor_hostname="null",monitor_port="null"} 1
`

test('the metrics page of Uptime Kuma: states, quoted names, addresses; groups are left out', () => {
  assert.deepEqual(KUMA.read(Buffer.from(kumaPage), 0).monitors, [
    { name: 'Shop', state: 'UP', address: 'https://shop.example/' },
    { name: 'Say "hi"\\ {now}', state: 'DOWN', address: 'https://hi.example/a?b=c' },
    { name: 'Database', state: 'PENDING', address: 'db.example:5432' },
    { name: 'Backup', state: 'MAINTENANCE' },
  ])
  // Version 2 adds the id, and labels of tags before it.
  const line = 'monitor_status{env="prod",monitor_id="7",monitor_name="A",monitor_type="http",monitor_url="null"} 1'
  const second = `# TYPE monitor_status gauge\n${line}`
  assert.deepEqual(KUMA.read(Buffer.from(second), 0).monitors, [{ id: '7', name: 'A', state: 'UP' }])
  assert.throws(() => KUMA.read(Buffer.from('<html>'), 0), /not the metrics page of Uptime Kuma/)
})

test('an API key of Uptime Kuma is sent as a password without a user', () => {
  const sent = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
  assert.equal(sent(KUMA.request('https://kuma.example', 'uk1_abc', 0)), ':uk1_abc')
  assert.equal(sent(KUMA.request('https://kuma.example', 'ada:secret', 0)), 'ada:secret')
  for (const given of ['https://kuma.example', 'https://kuma.example/', 'https://kuma.example/metrics']) {
    assert.equal(KUMA.request(given, null, 0).url, 'https://kuma.example/metrics')
  }
})

test('the list of Gatus: the newest result is the verdict', () => {
  const result = (success: boolean, minute: number) => ({
    success,
    timestamp: `2026-03-02T10:0${minute}:00.123456789Z`,
  })
  const list = [
    { name: 'website', group: 'core', key: 'core_website', results: [result(false, 2), result(true, 1)] },
    { name: 'api', key: '_api', results: [result(true, 1)] },
    { name: 'new', key: '_new', results: [] },
  ]
  const { monitors } = GATUS.read(Buffer.from(JSON.stringify(list)), 0)
  assert.deepEqual(
    monitors.map(({ name, state, otherNames }) => [name, state, otherNames?.[0]]),
    [
      ['website', 'DOWN', 'core/website'],
      ['api', 'UP', undefined],
      ['new', 'PENDING', undefined],
    ],
  )
  const { url } = GATUS.request('https://status.example/', null, 0)
  assert.equal(url, 'https://status.example/api/v1/endpoints/statuses?page=1&pageSize=1')
  assert.throws(() => GATUS.read(Buffer.from('<html>'), 0), /Check the address/)
})

test('the list of UptimeRobot: pages of 50, its states, and a wrong key', () => {
  const monitor = (id: number, status: number) => ({
    id,
    friendly_name: `M${id}`,
    url: 'a.example',
    port: '25',
    status,
  })
  const page = {
    stat: 'ok',
    pagination: { total: 60 },
    monitors: [0, 1, 2, 8, 9].map((status) => monitor(status, status)),
  }
  const { monitors, nextPage } = UPTIMEROBOT.read(Buffer.from(JSON.stringify(page)), 0)
  assert.deepEqual(
    monitors.map(({ state }) => state),
    ['PAUSED', 'PENDING', 'UP', 'PENDING', 'DOWN'],
  )
  assert.equal(monitors[0]?.address, 'a.example:25')
  assert.equal(nextPage, 1)
  assert.equal(UPTIMEROBOT.read(Buffer.from(JSON.stringify(page)), 1).nextPage, undefined)
  assert.match(UPTIMEROBOT.request('https://api.uptimerobot.com/v2', 'ur1', 1).body, /api_key=ur1.*offset=50/)
  const refused = { stat: 'fail', error: { type: 'invalid_parameter', parameter_name: 'api_key' } }
  assert.throws(() => UPTIMEROBOT.read(Buffer.from(JSON.stringify(refused)), 0), /does not accept the API key/)
})

test('a time after the value of a metric, and a line without a value', () => {
  const page =
    '# TYPE monitor_status gauge\nmonitor_status{monitor_name="A"} 0 1395066363000\nmonitor_status{monitor_name="B"}\n'
  assert.deepEqual(KUMA.read(Buffer.from(page), 0).monitors, [{ name: 'A', state: 'DOWN' }])
})

test('texts of tools are cut, and an id or address that is too long to be one of ours is left out', () => {
  const monitor = {
    id: 'i'.repeat(201),
    friendly_name: 'n'.repeat(300),
    url: `https://a.example/${'p'.repeat(2_048)}`,
    status: 2,
  }
  const answer = { stat: 'ok', monitors: [monitor] }
  assert.deepEqual(UPTIMEROBOT.read(Buffer.from(JSON.stringify(answer)), 0).monitors, [
    { name: 'n'.repeat(200), state: 'UP' },
  ])
  const endpoint = { name: 'n'.repeat(300), group: 'g'.repeat(300), key: 'k', results: [] }
  assert.deepEqual(GATUS.read(Buffer.from(JSON.stringify([endpoint])), 0).monitors, [
    {
      id: 'k',
      name: 'n'.repeat(200),
      otherNames: [`${'g'.repeat(200)}/${'n'.repeat(200)}`, `${'g'.repeat(200)} / ${'n'.repeat(200)}`],
      state: 'PENDING',
    },
  ])
  const failed = { stat: 'fail', error: { message: `a\0b\n${'c'.repeat(1_000)}` } }
  assert.throws(
    () => UPTIMEROBOT.read(Buffer.from(JSON.stringify(failed)), 0),
    ({ message }: Error) => /^UptimeRobot answered with an error: a b c+…$/.test(message) && message.length < 250,
  )
})

test('more monitors than a run compares are an error with both numbers', () => {
  const answer = { stat: 'ok', pagination: { total: 1_001 }, monitors: [] }
  assert.throws(() => UPTIMEROBOT.read(Buffer.from(JSON.stringify(answer)), 0), {
    message: 'UptimeRobot lists 1,001 monitors. A shadow run compares at most 1,000.',
  })
})
