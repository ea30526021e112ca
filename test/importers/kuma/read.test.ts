import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Outcome, WrongFileError } from '../../../src/importers/result.ts'
import {
  type Anything,
  expectContact,
  expectFields,
  expectObject,
  objectOf,
  resourceOf,
  windowFacts,
} from '../expected.ts'
import { databaseOf, expected, read, readChanged, versions } from './databases.ts'

/**
 * Where Pharos does better than the expectation, which was written before the checks in depth; and one monitor whose messages are
 * not repeated, which the expectation does not count as a loss.
 */
const better: Readonly<Record<string, Outcome>> = {
  Website: 'MAPPED_WITH_LOSSES',
  'OAuth2 API': 'MAPPED',
  'Max three redirects': 'MAPPED',
  'Via proxy': 'MAPPED',
  'Queue depth below 10': 'MAPPED',
  'Status is ok': 'MAPPED',
  'DNS A example.com': 'MAPPED',
  'DNS MX example.com': 'MAPPED',
  'DNS TXT (SPF)': 'MAPPED',
  'MQTT broker': 'MAPPED',
  Redis: 'MAPPED',
  'Game server (Steam)': 'MAPPED',
  Minecraft: 'MAPPED',
  RADIUS: 'MAPPED',
  'RabbitMQ cluster': 'MAPPED',
  'Switch (SNMP)': 'MAPPED_WITH_LOSSES',
  'Mail server (SMTP)': 'MAPPED',
  WebSocket: 'MAPPED',
  'SIP trunk': 'MAPPED',
  'Time server': 'MAPPED_WITH_LOSSES',
  'Domain expiry watch': 'MAPPED',
}

/** The fixture's keys are made up. These two services have keys of a fixed length, which Pharos checks. */
const invalidKeys = ['Pushover', 'PagerDuty']

/** Logins are options of the request, not headers. */
function withoutLogin({ requestHeaders, ...fields }: Anything): Anything {
  const { Authorization: _login, ...others } = requestHeaders ?? {}
  return { ...fields, ...(Object.keys(others).length > 0 && { requestHeaders: others }) }
}

for (const version of versions) {
  const source = expected[version]
  const result = read(databaseOf(version))
  const monitorNamed = (name: string) => {
    const { sourceId } = source.monitors.find(({ sourceName }: Anything) => sourceName === name)
    return resourceOf(result, objectOf(result, 'monitor', sourceId))
  }

  test(`every monitor of ${version} becomes what is expected`, () => {
    for (const one of source.monitors) {
      const isBetter = Object.hasOwn(better, one.sourceName) && one.outcome !== 'notAMonitor'
      const expectation = one.fields === undefined ? one : { ...one, fields: withoutLogin(one.fields) }
      expectObject(result, 'monitor', one.sourceId, expectation, isBetter ? better[one.sourceName] : undefined)
    }
    assert.deepEqual(result.unreadable, [])
  })

  test(`every other object of ${version} is reported once`, () => {
    for (const one of source.notifications) {
      const isInvalid = invalidKeys.includes(one.sourceName)
      // Mentions of people and a login by password are lost, which the expectation does not say.
      const isLossy = ['Discord', 'ntfy phone'].includes(one.sourceName)
      const outcome = isInvalid ? 'NOT_SUPPORTED' : isLossy ? 'MAPPED_WITH_LOSSES' : undefined
      const object = expectObject(result, 'notification', one.sourceId, one, outcome)
      if (object.key === undefined || one.sourceType === 'smtp') continue
      const { auth: _auth, region: _region, ...fields } = one.fields
      expectContact(resourceOf(result, object), one.channel, fields)
    }
    for (const one of source.proxies) expectObject(result, 'proxy', one.sourceId, one, 'NOT_A_MONITOR')
    for (const name of source.tags.names)
      assert.ok(result.objects.some((one) => one.kind === 'tag' && one.name === name))
    for (const one of source.statusPages) {
      const object = expectObject(result, 'status page', one.sourceId, one)
      const page = resourceOf(result, object)
      const sections = page.sections.map(({ name, monitors }: Anything) => ({
        name,
        monitors: monitors.map(({ monitor }: Anything) => (result.document as Anything).monitors[monitor].name),
      }))
      expectFields({ published: true, theme: 'SYSTEM', ...page, sections }, one.fields, `page ${one.sourceId}`)
      for (const { title } of one.incidents ?? []) {
        const incident = result.objects.find(({ kind, name }) => kind === 'incident' && name === title)
        assert.match(incident?.reason ?? '', /Publish it again: We are looking into/)
      }
    }
    const ids = result.objects.map(({ kind, sourceId }) => `${kind} ${sourceId}`)
    assert.equal(new Set(ids).size, ids.length)
  })

  test(`windows of ${version} keep their wall clock`, () => {
    for (const one of source.maintenance) {
      // The monitor that was left out is imported by now.
      const isWhole = one.sourceTitle === 'Database upgrade'
      const object = expectObject(result, 'maintenance', one.sourceId, one, isWhole ? 'MAPPED' : undefined)
      if (object.key === undefined) continue
      const { monitors } = one.fields
      const fields = isWhole ? { ...one.fields, monitors: [...monitors, 'PostgreSQL query'] } : one.fields
      expectFields(windowFacts(result, resourceOf(result, object)), fields, one.sourceTitle)
    }
  })

  test(`contacts of ${version} have the monitors that they were attached to`, () => {
    const { contacts, monitors } = result.document as Anything
    const alertedBy = (name: string) =>
      source.monitors.flatMap((one: Anything) => (one.alertChannels?.includes(name) ? [one.sourceName] : [])).sort()
    const named = (keys: readonly string[]) => keys.map((key) => monitors[key].name).sort()
    assert.deepEqual(named(contacts['slack-alerts-2'].monitors), alertedBy('Slack #alerts'))
    const mails: Anything[] = Object.values<Anything>(contacts).filter(({ channel }) => channel === 'EMAIL')
    assert.deepEqual(
      mails.map(({ settings }) => settings.address),
      ['ops@example.com', 'oncall@example.com', 'lead@example.com'],
    )
    // A default notification is also that of later monitors.
    for (const { covers, exceptMonitors, disabledAtFirst } of mails) {
      assert.deepEqual([covers, disabledAtFirst], ['ALL', true])
      const covered = Object.keys(monitors).filter((key) => !exceptMonitors.includes(key))
      assert.deepEqual(named(covered), alertedBy('Ops mail'))
    }
  })

  test(`groups, tags, logins, retries and push addresses of ${version} are kept`, () => {
    assert.deepEqual(monitorNamed('Website').labels, { group: 'production', env: 'prod', critical: '' })
    assert.deepEqual(monitorNamed('PostgreSQL port').labels, { group: 'databases', 'parent-group': 'production' })
    assert.deepEqual(monitorNamed('NAS (self-signed)').labels, { group: 'home-lab', 'lauft-lokal': '' })
    assert.deepEqual(monitorNamed('Intranet (basic auth)').request, {
      auth: { type: 'BASIC', username: 'monitor', password: 'fake-basic-password' },
    })
    assert.deepEqual(monitorNamed('Via proxy').request, {
      proxyUrl: 'http://proxyuser:fake-proxy-password@127.0.0.1:3128',
    })
    assert.deepEqual(monitorNamed('Website').confirmation, { failureRetries: 2, retryDelaysSeconds: [30] })
    assert.match(monitorNamed('Nightly backup').legacyAddress.token, /^devFakePushToken/)
    assert.equal(monitorNamed('Nightly backup').legacyAddress.tool, 'KUMA')
    assert.deepEqual(monitorNamed('Status is ok').assertions, [
      { source: 'JSON', path: '$.status', operator: 'EQUALS', value: 'ok' },
    ])
  })
}

test('a push monitor whose token can be guessed loses its old address', () => {
  const result = readChanged('kuma-2.db.gz', "UPDATE monitor SET push_token = 'short' WHERE name = 'Nightly backup'")
  const object = result.objects.find(({ name }) => name === 'Nightly backup')
  assert.ok(object)
  assert.equal(object.outcome, 'MAPPED_WITH_LOSSES')
  assert.match(
    object.losses.join(' '),
    /token must have at least 10 characters, .* The job must call the new address\.$/,
  )
  const { type, legacyAddress } = resourceOf(result, object)
  assert.deepEqual([type, legacyAddress], ['CRON', undefined])
})

test('the domain of a monitor gets a monitor of its own, with its contacts', () => {
  const result = readChanged(
    'kuma-2.db.gz',
    'INSERT INTO monitor_notification (monitor_id, notification_id) VALUES (67, 2)',
  )
  const domain = resourceOf(result, objectOf(result, 'domain', 'example.net'))
  assert.deepEqual([domain.type, domain.url, domain.sslExpiryThresholdDays], ['DOMAIN', 'example.net', 21])
  const { contacts } = result.document as Anything
  assert.ok(contacts['slack-alerts-2'].monitors.includes('domain-example-net'))
})

test('a monitor in a paused group is paused', () => {
  const { monitors } = readChanged('kuma-2.db.gz', 'UPDATE monitor SET active = 0 WHERE id = 1').document as Anything
  for (const key of ['website-4', 'postgresql-port-32']) assert.equal(monitors[key].paused, true, key)
  assert.equal(monitors['router-30'].paused, undefined)
})

test('a group on a page becomes a section, and its notifications and windows are those of its monitors', () => {
  const result = readChanged(
    'kuma-2.db.gz',
    `INSERT INTO monitor_group (monitor_id, group_id, weight) VALUES (3, 1, 9);
     INSERT INTO monitor_notification (monitor_id, notification_id) VALUES (3, 4);
     INSERT INTO monitor_maintenance (monitor_id, maintenance_id) VALUES (3, 3)`,
  )
  const { statusPages, contacts, maintenanceWindows } = result.document as Anything
  const inside = ['nas-self-signed-18', 'router-30', 'router-ipv6-31']
  const [, section] = statusPages['example-status-1'].sections
  assert.deepEqual(section, { name: 'Home lab', monitors: inside.map((monitor) => ({ monitor })) })
  assert.deepEqual(contacts['telegram-ops-4'].monitors, inside)
  assert.deepEqual(maintenanceWindows['every-second-day-cleanup-3'].monitors, ['api-health-5', ...inside])
})

const jsonCases = [
  ['$.queue.depth', '<=', '10', 'LESS', 10.000000000000002],
  ['queue.items[0].`a b`', '>=', '5', 'GREATER', 4.999999999999999],
  ['ready', '==', 'true', 'MATCHES', '^true$'],
  ['version', 'contains', '2.', 'CONTAINS', '2.'],
] as const

for (const [path, operator, value, ours, comparedWith] of jsonCases) {
  test(`a JSON query with ${operator} ${value} means the same here`, () => {
    const result = readChanged(
      'kuma-2.db.gz',
      `UPDATE monitor SET json_path = '${path}', json_path_operator = '${operator}', expected_value = '${value}' WHERE id = 28`,
    )
    const { assertions } = resourceOf(result, objectOf(result, 'monitor', 28))
    assert.equal(assertions[0].operator, ours)
    assert.equal(assertions[0].value, comparedWith)
  })
}

test('what has no equivalent is named', () => {
  const result = readChanged(
    'kuma-2.db.gz',
    `UPDATE monitor SET json_path = '$count(items)' WHERE id = 28;
     UPDATE monitor SET maxretries = 10, retry_interval = 120 WHERE id = 26;
     UPDATE monitor SET conditions = '[{"type":"expression","variable":"record","operator":"equals","value":"a","andOr":"and"},
       {"type":"expression","variable":"record","operator":"equals","value":"b","andOr":"or"}]' WHERE id = 35;
     UPDATE monitor SET type = 'teleport' WHERE id = 8;
     UPDATE monitor SET url = 'http://' WHERE id = 7;
     UPDATE monitor SET interval = 300, timeout = 240 WHERE id = 5;
     UPDATE maintenance SET cron = '*/5 * * * *' WHERE id = 6;
     UPDATE status_page SET slug = 'a' WHERE id = 2`,
  )
  const reported = (kind: string, id: number) => {
    const { losses, reason } = objectOf(result, kind, id)
    return [...losses, reason ?? ''].join(' ')
  }
  assert.match(reported('monitor', 28), /JSON query \$count\(items\) has no equivalent/)
  assert.match(reported('monitor', 26), /repeated 10 times, every 120 s: now it is repeated 5 times, every 60 s/)
  assert.match(reported('monitor', 35), /conditions have no equivalent/)
  assert.match(reported('monitor', 8), /type teleport of Uptime Kuma is not known/)
  assert.match(reported('monitor', 7), /does not accept it: url/)
  assert.equal(reported('monitor', 5).trim(), '', 'the timeout that Kuma fills in is no loss')
  assert.match(reported('maintenance', 6), /has no equivalent/)
  assert.match(reported('status page', 2), /path of the page is left out/)
})

test('a window in the zone of the server has its wall clock', () => {
  const result = readChanged('kuma-2.db.gz', `UPDATE maintenance SET timezone = 'SAME_AS_SERVER' WHERE id = 3`)
  const { startsAt, timezone } = resourceOf(result, objectOf(result, 'maintenance', 3))
  assert.deepEqual([timezone, startsAt], ['Europe/Berlin', '2026-09-01T00:00:00.000Z'])
})

test('a file of another kind is refused', () => {
  const refusal = (text: string) => () => read(Buffer.from(text))
  assert.throws(refusal('monitors: []'), WrongFileError)
  assert.throws(refusal(''), WrongFileError)
})
