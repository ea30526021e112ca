import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { addDailyRollups, setMonitorState } from '../../publishing/public-site/fixtures.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { storeHour } from './stored-hours.ts'

const NOW = Date.UTC(2027, 0, 31, 14, 20)

type Mine = ReturnType<typeof useInstallation>

async function make({ owner }: Mine, name: string, fields: object = {}): Promise<string> {
  const settings = { name, type: 'HTTP', url: 'https://example.com/', ...fields }
  const { status, body } = await owner.post('/v1/monitors', settings)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

async function board({ owner }: Mine, query = '') {
  return (await owner.get(`/monitors${query}`)).body
}

async function names(installation: Mine, query = ''): Promise<string[]> {
  return (await board(installation, query)).data.map(({ name }: { name: string }) => name)
}

forEachEngine('a board without monitors', (engine) => {
  const installation = useInstallation(engine)

  test('is empty', async () => {
    assert.deepEqual(await board(installation), { data: [], pagination: { limit: 50, offset: 0, total: 0 } })
  })
})

forEachEngine('the board', (engine) => {
  const installation = useInstallation(engine, { clock: new HandClock(NOW) })
  const twins: string[] = []
  before(async () => {
    const { server } = installation
    await setMonitorState(server, await make(installation, 'beta'), 'UP', NOW - MINUTE_MS)
    await setMonitorState(
      server,
      await make(installation, 'Alpha', { type: 'PORT', host: 'db.example.com', port: 5432 }),
      'UP',
      NOW,
    )
    await setMonitorState(
      server,
      await make(installation, 'zebra', { url: 'https://ZEBRA.example.com/100%_sure' }),
      'DOWN',
      NOW,
    )
    await setMonitorState(
      server,
      await make(installation, 'Émile', { type: 'PING', host: '192.0.2.7' }),
      'DEGRADED',
      NOW,
    )
    await setMonitorState(
      server,
      await make(installation, 'eins', { type: 'PORT', host: '2001:db8::7', port: 80 }),
      'DEGRADED',
      NOW,
    )
    await setMonitorState(
      server,
      await make(installation, 'asleep', { type: 'DNS', url: 'Zone.example.org' }),
      'PAUSED',
      NOW,
    )
    twins.push(await make(installation, 'same', { type: 'CRON' }), await make(installation, 'same', { type: 'CRON' }))
    const { key } = await server.organization('FREE')
    const theirs = { name: 'theirs', type: 'HTTP', url: 'https://example.com/', intervalSeconds: 300 }
    assert.equal((await server.client(key).post('/monitors', theirs)).status, 201)
  })

  test('has what needs attention first, then names in whatever case, then ids', async () => {
    const { data, pagination } = await board(installation)
    assert.deepEqual(
      data.map(({ name, state }: { name: string; state: string }) => `${state} ${name}`),
      [
        ...['DOWN zebra', 'DEGRADED eins', 'DEGRADED Émile', 'PENDING same', 'PENDING same'],
        ...['UP Alpha', 'UP beta', 'PAUSED asleep'],
      ],
    )
    assert.deepEqual([data[3].id, data[4].id], twins.toSorted())
    assert.deepEqual(pagination, { limit: 50, offset: 0, total: 8 })
  })

  test('says what each monitor watches and what was last found', async () => {
    const { data } = await board(installation)
    assert.deepEqual(
      data.map(({ target }: { target: string }) => target),
      [
        ...['https://ZEBRA.example.com/100%_sure', '[2001:db8::7]:80', '192.0.2.7', null, null],
        ...['db.example.com:5432', 'https://example.com/', 'Zone.example.org'],
      ],
    )
    const { id: _id, ...beta } = data[6]
    assert.deepEqual(beta, {
      ...{ name: 'beta', type: 'HTTP', state: 'UP', target: 'https://example.com/', intervalSeconds: 300 },
      lastCheckedAt: new Date(NOW - MINUTE_MS).toISOString(),
      lastStatusChangedAt: new Date(NOW - MINUTE_MS).toISOString(),
      ...{ lastResponseMs: 123, uptime30d: 1, hours: `${'-'.repeat(23)}U` },
    })
  })

  test('is read page by page', async () => {
    assert.deepEqual(await names(installation, '?limit=3'), ['zebra', 'eins', 'Émile'])
    const { data, pagination } = await board(installation, '?limit=3&offset=6')
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['beta', 'asleep'],
    )
    assert.deepEqual(pagination, { limit: 3, offset: 6, total: 8 })
    assert.deepEqual(await board(installation, '?offset=100'), {
      data: [],
      pagination: { limit: 50, offset: 100, total: 8 },
    })
  })

  filters(installation)

  test('has a letter for each of the last 24 hours, and the uptime of 30 days', async () => {
    const id = await make(installation, 'storied')
    const { server } = installation
    const hour = (back: number) => Math.floor(NOW / HOUR_MS) * HOUR_MS - back * HOUR_MS
    await storeHour(server, id, hour(24), { down_ms: HOUR_MS })
    await storeHour(server, id, hour(23), { up_ms: HOUR_MS - 1, down_ms: 1 })
    await storeHour(server, id, hour(22), { up_ms: HOUR_MS, degraded_ms: 1 })
    await storeHour(server, id, hour(21), { up_ms: HOUR_MS / 2, maintenance_ms: HOUR_MS / 2 })
    await storeHour(server, id, hour(20), { up_ms: HOUR_MS / 4, paused_ms: HOUR_MS / 2 })
    await storeHour(server, id, hour(19), { up_ms: HOUR_MS })
    await addDailyRollups(server, id, 31, NOW, (back) => (back === 30 ? { downMs: DAY_MS } : { downMs: DAY_MS / 4 }))
    const [shown] = (await board(installation, '?q=storied')).data
    assert.deepEqual([shown.hours, shown.uptime30d], [`DGMPU${'-'.repeat(19)}`, 0.75])
    await setMonitorState(server, id, 'DOWN', NOW - 5 * MINUTE_MS)
    assert.equal((await board(installation, '?q=storied')).data[0].hours, `DGMPU${'-'.repeat(18)}D`)
    await installation.owner.delete(`/v1/monitors/${id}`)
  })
})

function filters(installation: Mine): void {
  test('finds parts of names and targets in any case, letters with accents included', async () => {
    assert.deepEqual(await names(installation, '?q=ALPH'), ['Alpha'])
    assert.deepEqual(await names(installation, `?q=${encodeURIComponent('éMI')}`), ['Émile'])
    assert.deepEqual(await names(installation, '?q=EXAMPLE.COM'), ['zebra', 'Alpha', 'beta'])
    assert.deepEqual(await names(installation, '?q=:5432'), ['Alpha'])
    assert.deepEqual(await names(installation, '?q=zone.'), ['asleep'])
    assert.deepEqual(await names(installation, '?q=intervalSeconds'), [], 'in nothing else')
  })

  test('takes wildcards for what they are', async () => {
    assert.deepEqual(await names(installation, `?q=${encodeURIComponent('100%_s')}`), ['zebra'])
    for (const wildcard of ['a%a', 'bet_', '\\', '.*']) {
      assert.deepEqual(await names(installation, `?q=${encodeURIComponent(wildcard)}`), [], wildcard)
    }
  })

  test('shows the states and types that are asked for', async () => {
    assert.deepEqual(await names(installation, '?state=PAUSED,DOWN'), ['zebra', 'asleep'])
    assert.deepEqual(await names(installation, '?type=PORT'), ['eins', 'Alpha'])
    assert.deepEqual(await names(installation, '?type=PORT,HTTP&state=UP&q=a'), ['Alpha', 'beta'])
    assert.equal((await board(installation, '?state=UP')).pagination.total, 2)
  })

  test('refuses what there is not, all of it at once', async () => {
    const { status, body } = await installation.owner.get('/monitors?state=UP,SIDEWAYS&type=')
    assert.equal(status, 400)
    assert.deepEqual(
      body.error.details.map(({ path }: { path: string }) => path),
      ['type'],
    )
    const both = await installation.owner.get('/monitors?state=UP,SIDEWAYS&type=FTP')
    assert.deepEqual(both.body.error.details, [
      { path: 'state', message: 'must be a comma separated list of PENDING, UP, DEGRADED, DOWN, PAUSED' },
      { path: 'type', message: 'must be a comma separated list of HTTP, KEYWORD, PING, PORT, CRON, DNS, SSL, DOMAIN' },
    ])
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'q=']) {
      assert.equal((await installation.owner.get(`/monitors?${query}`)).status, 400, query)
    }
  })
}
