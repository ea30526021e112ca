import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { newId } from '../../../src/lib/ids.ts'
import { openIncident } from '../../../src/monitoring/incidents/queries.ts'
import type { MonitorState } from '../../../src/monitoring/monitor-states/state.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { addDailyRollups, setMonitorState } from '../../publishing/public-site/fixtures.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { makeMonitor, useInstallation } from '../../support/person.ts'
import { storeHour } from '../uptime/stored-hours.ts'

const NOW = Date.UTC(2027, 0, 31, 14, 20)

type Mine = ReturnType<typeof useInstallation>

/** Eight monitors in all states; returns the ids of two that differ in nothing else. */
async function makeMonitors(installation: Mine): Promise<[string, string]> {
  const add = async (name: string, fields: object, state: MonitorState, at = NOW) =>
    setMonitorState(installation.server, await makeMonitor(installation, name, fields), state, at)
  await add('beta', {}, 'UP', NOW - MINUTE_MS)
  await add('Alpha', { type: 'PORT', host: 'db.example.com', port: 5432 }, 'UP')
  await add('zebra', { url: 'https://ZEBRA.example.com/100%_sure' }, 'DOWN')
  await add('Émile', { type: 'PING', host: '192.0.2.7' }, 'DEGRADED')
  await add('eins', { type: 'PORT', host: '2001:db8::7', port: 80 }, 'DEGRADED')
  await add('asleep', { type: 'DNS', url: 'Zone.example.org' }, 'PAUSED')
  return [
    await makeMonitor(installation, 'same', { type: 'CRON' }),
    await makeMonitor(installation, 'same', { type: 'CRON' }),
  ]
}

async function openIncidentOf({ server }: Mine, id: string, error: string): Promise<void> {
  await server.running.database.write(function* () {
    const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
    const failure = { at: NOW, statusCode: 503, responseMs: 9, error, ip: null, excerpt: null }
    yield* openIncident(monitor?.org_id ?? '', newId('inc', NOW), monitor?.num ?? 0, 'STATUS', failure)
  })
}

async function listed({ owner }: Mine, query = '') {
  return (await owner.get(`/v1/monitor-list${query}`)).body
}

async function names(installation: Mine, query = ''): Promise<string[]> {
  return (await listed(installation, query)).data.map(({ name }: { name: string }) => name)
}

forEachEngine('a monitor list without monitors', (engine) => {
  const installation = useInstallation(engine)

  test('is empty', async () => {
    const counts = { up: 0, degraded: 0, down: 0, paused: 0, pending: 0, maintenance: 0, total: 0 }
    const pagination = { limit: 25, offset: 0, total: 0 }
    assert.deepEqual(await listed(installation), { data: [], pagination, counts, groups: [] })
  })
})

forEachEngine('the monitor list of the dashboard', (engine) => {
  const installation = useInstallation(engine, { clock: new HandClock(NOW) })
  const twins: string[] = []
  before(async () => {
    twins.push(...(await makeMonitors(installation)))
    const { key } = await installation.server.organization('FREE')
    const foreign = { name: 'theirs', type: 'HTTP', url: 'https://example.com/', intervalSeconds: 300 }
    assert.equal((await installation.server.client(key).post('/monitors', foreign)).status, 201)
  })

  test('is sorted by urgency, then by name ignoring case, then by id', async () => {
    const { data, pagination } = await listed(installation)
    assert.deepEqual(
      data.map(({ name, state }: { name: string; state: string }) => `${state} ${name}`),
      [
        ...['DOWN zebra', 'DEGRADED eins', 'DEGRADED Émile', 'PENDING same', 'PENDING same'],
        ...['UP Alpha', 'UP beta', 'PAUSED asleep'],
      ],
    )
    assert.deepEqual([data[3].id, data[4].id], twins.toSorted())
    assert.deepEqual(pagination, { limit: 25, offset: 0, total: 8 })
  })

  test('has the target and the latest state of each monitor', async () => {
    const { data } = await listed(installation)
    assert.deepEqual(
      data.map(({ target }: { target: string }) => target),
      [
        ...['https://ZEBRA.example.com/100%_sure', '[2001:db8::7]:80', '192.0.2.7', null, null],
        ...['db.example.com:5432', 'https://example.com/', 'Zone.example.org'],
      ],
    )
    const { id: _id, ...beta } = data[6]
    assert.deepEqual(beta, {
      name: 'beta',
      type: 'HTTP',
      state: 'UP',
      inMaintenance: false,
      target: 'https://example.com/',
      intervalSeconds: 300,
      labels: {},
      lastCheckedAt: new Date(NOW - MINUTE_MS).toISOString(),
      lastStatusChangedAt: new Date(NOW - MINUTE_MS).toISOString(),
      cause: null,
      lastResponseMs: 123,
      uptime30d: 1,
      hours: `${'-'.repeat(23)}U`,
    })
  })

  test('says why a monitor is down', async () => {
    const { id } = (await listed(installation)).data[0]
    await openIncidentOf(installation, id, 'HTTP 503 Service Unavailable')
    const { data } = await listed(installation, '?state=DOWN,UP')
    assert.deepEqual(
      data.map(({ name, cause }: { name: string; cause: string | null }) => [name, cause]),
      [['zebra', 'HTTP 503 Service Unavailable'], ...['Alpha', 'beta'].map((name) => [name, null])],
    )
  })

  test('is paged', async () => {
    assert.deepEqual(await names(installation, '?limit=3'), ['zebra', 'eins', 'Émile'])
    const { data, pagination } = await listed(installation, '?limit=3&offset=6')
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['beta', 'asleep'],
    )
    assert.deepEqual(pagination, { limit: 3, offset: 6, total: 8 })
    const beyond = await listed(installation, '?offset=100')
    assert.deepEqual([beyond.data, beyond.pagination], [[], { limit: 25, offset: 100, total: 8 }])
  })

  filters(installation)
  orders(installation)

  test('has a letter for each of the last 24 hours, and the uptime of 30 days', async () => {
    const id = await makeMonitor(installation, 'storied')
    const { server } = installation
    const hour = (back: number) => Math.floor(NOW / HOUR_MS) * HOUR_MS - back * HOUR_MS
    await storeHour(server, id, hour(24), { down_ms: HOUR_MS })
    await storeHour(server, id, hour(23), { up_ms: HOUR_MS - 1, down_ms: 1 })
    await storeHour(server, id, hour(22), { up_ms: HOUR_MS, degraded_ms: 1 })
    await storeHour(server, id, hour(21), { up_ms: HOUR_MS / 2, maintenance_ms: HOUR_MS / 2 })
    await storeHour(server, id, hour(20), { up_ms: HOUR_MS / 4, paused_ms: HOUR_MS / 2 })
    await storeHour(server, id, hour(19), { up_ms: HOUR_MS })
    await addDailyRollups(server, id, 31, NOW, (back) => (back === 30 ? { downMs: DAY_MS } : { downMs: DAY_MS / 4 }))
    const [summary] = (await listed(installation, '?q=storied')).data
    assert.deepEqual([summary.hours, summary.uptime30d], [`DGMPU${'-'.repeat(19)}`, 0.75])
    await setMonitorState(server, id, 'DOWN', NOW - 5 * MINUTE_MS)
    assert.equal((await listed(installation, '?q=storied')).data[0].hours, `DGMPU${'-'.repeat(18)}D`)
    await installation.owner.delete(`/v1/monitors/${id}`)
  })
})

function orders(installation: Mine): void {
  test('is sorted by each column in both directions, with missing values last', async () => {
    const byName = ['Alpha', 'asleep', 'beta', 'eins', 'same', 'same', 'zebra', 'Émile']
    assert.deepEqual(await names(installation, '?sort=name'), byName)
    assert.deepEqual(await names(installation, '?sort=name&order=desc'), byName.toReversed())
    assert.deepEqual((await names(installation, '?sort=state&order=desc'))[0], 'asleep')
    const types = (await listed(installation, '?sort=type')).data.map(({ type }: { type: string }) => type)
    assert.deepEqual(types, ['HTTP', 'HTTP', 'PING', 'PORT', 'PORT', 'CRON', 'CRON', 'DNS'])
    for (const order of ['asc', 'desc']) {
      for (const sort of ['checked', 'response']) {
        const last = await names(installation, `?sort=${sort}&order=${order}`)
        assert.deepEqual(last.slice(-2), ['same', 'same'], `${sort} ${order}`)
      }
    }
    assert.equal((await names(installation, '?sort=checked'))[0], 'beta')
    // The only one with measured time.
    for (const order of ['asc', 'desc'])
      assert.equal((await names(installation, `?sort=uptime&order=${order}`))[0], 'beta')
    assert.equal((await installation.owner.get('/v1/monitor-list?sort=secrets')).status, 400)
  })

  test('is grouped by state or type, and leaves out collapsed groups', async () => {
    const { data, groups, pagination } = await listed(installation, '?group=type&sort=name&collapsed=CRON,HTTP')
    assert.deepEqual(groups, [
      ...[
        { value: 'HTTP', total: 2 },
        { value: 'PING', total: 1 },
        { value: 'PORT', total: 2 },
      ],
      ...[
        { value: 'CRON', total: 2 },
        { value: 'DNS', total: 1 },
      ],
    ])
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['Émile', 'Alpha', 'eins', 'asleep'],
    )
    assert.equal(pagination.total, 4)
    assert.equal((await installation.owner.get('/v1/monitor-list?group=type&collapsed=UP')).status, 400)
  })

  test('counts states by search text and type, whatever state is chosen', async () => {
    const { counts } = await listed(installation, '?type=PORT,HTTP&q=a&state=DOWN')
    assert.deepEqual(counts, { up: 2, degraded: 0, down: 1, paused: 0, pending: 0, maintenance: 0, total: 3 })
  })

  test('shows and filters monitors in maintenance', async () => {
    const [beta] = (await listed(installation, '?q=beta')).data
    const at = (ms: number) => new Date(NOW + ms).toISOString()
    const window = { name: 'Upgrade', startsAt: at(-HOUR_MS), endsAt: at(HOUR_MS), monitorIds: [beta.id] }
    const { body } = await installation.owner.post('/v1/maintenance-windows', window)
    const { data, counts } = await listed(installation, '?maintenance=true')
    assert.deepEqual(
      data.map(({ name, inMaintenance }: { name: string; inMaintenance: boolean }) => [name, inMaintenance]),
      [['beta', true]],
    )
    assert.equal(counts.maintenance, 1)
    await installation.owner.delete(`/v1/maintenance-windows/${body.id}`)
    assert.deepEqual(await names(installation, '?maintenance=true'), [])
  })

  test('is exported as CSV, without formulas', async () => {
    const id = await makeMonitor(installation, '=HYPERLINK("https://evil.example","x")')
    const csv = await exported(installation, '?sort=name')
    const [header, ...lines] = csv.trimEnd().split('\r\n')
    const columns =
      'Name,Type,Target,Status,In maintenance,"Uptime, 30 days (%)","Not monitored, 30 days (min)",Last response (ms),Last checked (UTC)'
    assert.equal(header, `\uFEFF${columns}`)
    assert.equal(lines.length, 9)
    assert.equal(lines[0], `"'=HYPERLINK(""https://evil.example"",""x"")",HTTP,https://example.com/,Pending,No,,0,,`)
    assert.equal(lines[3], 'beta,HTTP,https://example.com/,Up,No,100,0,123,2027-01-31 14:19:00')
    await installation.owner.delete(`/v1/monitors/${id}`)
    for (const name of ['＝1+1', '＋1', '－1', '＠SUM(1)']) {
      const made = await makeMonitor(installation, name)
      const [, line] = (await exported(installation, `?q=${encodeURIComponent(name)}`)).split('\r\n')
      assert.equal(line, `'${name},HTTP,https://example.com/,Pending,No,,0,,`)
      await installation.owner.delete(`/v1/monitors/${made}`)
    }
    assert.equal((await exported(installation, '?type=DNS')).split('\r\n').length, 3)
    const { server } = installation
    assert.equal((await fetch(`${server.url}/app/api/monitors.csv`)).status, 401)
  })
}

async function exported({ owner, server }: Mine, query: string): Promise<string> {
  const response = await fetch(`${server.url}/app/api/monitors.csv${query}`, {
    headers: { cookie: owner.cookie ?? '', 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
  return Buffer.from(await response.arrayBuffer()).toString('utf8')
}

function filters(installation: Mine): void {
  test('is searched by parts of names and targets in any case, including accented letters', async () => {
    assert.deepEqual(await names(installation, '?q=ALPH'), ['Alpha'])
    assert.deepEqual(await names(installation, `?q=${encodeURIComponent('éMI')}`), ['Émile'])
    assert.deepEqual(await names(installation, '?q=EXAMPLE.COM'), ['zebra', 'Alpha', 'beta'])
    assert.deepEqual(await names(installation, '?q=:5432'), ['Alpha'])
    assert.deepEqual(await names(installation, '?q=zone.'), ['asleep'])
    assert.deepEqual(await names(installation, '?q=intervalSeconds'), [], 'in nothing else')
  })

  test('treats wildcards as plain characters', async () => {
    assert.deepEqual(await names(installation, `?q=${encodeURIComponent('100%_s')}`), ['zebra'])
    for (const wildcard of ['a%a', 'bet_', '\\', '.*']) {
      assert.deepEqual(await names(installation, `?q=${encodeURIComponent(wildcard)}`), [], wildcard)
    }
  })

  test('is filtered by states and types', async () => {
    assert.deepEqual(await names(installation, '?state=PAUSED,DOWN'), ['zebra', 'asleep'])
    assert.deepEqual(await names(installation, '?type=PORT'), ['eins', 'Alpha'])
    assert.deepEqual(await names(installation, '?type=PORT,HTTP&state=UP&q=a'), ['Alpha', 'beta'])
    assert.equal((await listed(installation, '?state=UP')).pagination.total, 2)
  })

  test('reports all unknown states and types together', async () => {
    expectError(await installation.owner.get('/v1/monitor-list?state=UP,SIDEWAYS&type='), 'validation_error', ['type'])
    const both = await installation.owner.get('/v1/monitor-list?state=UP,SIDEWAYS&type=FTP')
    assert.deepEqual(both.body.error.details, [
      { path: 'state', message: 'must be a comma separated list of PENDING, UP, DEGRADED, DOWN, PAUSED' },
      { path: 'type', message: 'must be a comma separated list of HTTP, KEYWORD, PING, PORT, CRON, DNS, SSL, DOMAIN' },
    ])
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'q=']) {
      assert.equal((await installation.owner.get(`/v1/monitor-list?${query}`)).status, 400, query)
    }
  })
}
