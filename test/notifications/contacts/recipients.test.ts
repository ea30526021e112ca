import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { setAttached } from '../../../src/notifications/contacts/attachments.ts'
import { disableContactRow } from '../../../src/notifications/contacts/enable.ts'
import { pruneAlerts } from '../../../src/notifications/contacts/prune.ts'
import { contactsOf, saveContact } from '../../../src/notifications/contacts/queries.ts'
import { changeContact } from '../../../src/notifications/contacts/update.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type AlertingTest, newAlertingTest, quickTiming, sealer } from './alerting.ts'
import { incidentsIn, startService } from './service.ts'

function alertsOf({ database }: AlertingTest) {
  return database.read(execute(q.selectFrom('alerts').selectAll().orderBy('num')))
}

forEachEngine('recipients of an alert', (engine) => {
  test('without a contact nothing is stored', async () => {
    await using stage = await newAlertingTest(engine)
    await stage.alert({})
    assert.deepEqual(await alertsOf(stage), [])
  })

  test('all contacts of the organization, and no others', async () => {
    await using stage = await newAlertingTest(engine)
    const other = await stage.organization()
    const first = await stage.contact('WEBHOOK', { url: 'https://a.example' })
    const second = await stage.contact('WEBHOOK', { url: 'https://b.example' })
    await stage.contact('WEBHOOK', { url: 'https://c.example' }, { orgId: other })
    await stage.alert(await stage.monitor())
    assert.deepEqual((await alertsOf(stage)).map(({ contact_id: id }) => id).sort(), [first, second].sort())
  })

  test('a new monitor has all contacts, and only exceptions are rows', async () => {
    await using stage = await newAlertingTest(engine)
    const { database, orgId } = stage
    const everything = await stage.contact('WEBHOOK', { url: 'https://a.example' })
    const chosen = await stage.contact('WEBHOOK', { url: 'https://b.example' }, { covers: 'CHOSEN' })
    const [one, two] = [await stage.monitor(), await stage.monitor()]
    await database.write(() => setAttached(orgId, everything, [one.monitorNum], false))
    await database.write(() => setAttached(orgId, chosen, [one.monitorNum], true))
    await stage.alert({ ...one, incidentId: 'inc_1' })
    await stage.alert({ ...two, incidentId: 'inc_2' })
    const alerted = async () => (await alertsOf(stage)).map((row) => `${row.incident_id} ${row.contact_id}`)
    assert.deepEqual(await alerted(), [`inc_1 ${chosen}`, `inc_2 ${everything}`])
    await database.write(() => setAttached(orgId, everything, [one.monitorNum], true))
    await database.write(() => setAttached(orgId, chosen, [one.monitorNum], false))
    await stage.alert({ ...one, incidentId: 'inc_3' })
    assert.deepEqual((await alerted()).slice(2), [`inc_3 ${everything}`])
    assert.deepEqual(await database.read(execute(q.selectFrom('contact_exceptions').selectAll())), [])
  })

  test('an alert without a monitor goes to all contacts, whatever they cover', async () => {
    await using stage = await newAlertingTest(engine)
    await stage.contact('WEBHOOK', { url: 'https://a.example' }, { covers: 'CHOSEN' })
    await stage.alert({
      kind: 'endpoint_disabled',
      monitorNum: null,
      monitorId: null,
      incidentId: null,
      subject: 'https://x',
    })
    assert.equal((await alertsOf(stage)).length, 1)
  })

  test('a contact gets the kinds it wants; a channel that tracks incidents gets their end as well', async () => {
    await using stage = await newAlertingTest(engine)
    const choosy = await stage.contact('WEBHOOK', { url: 'https://a.example' }, { kinds: ['opened'] })
    const keeper = await stage.contact('PAGERDUTY', { routingKey: 'a'.repeat(32) }, { kinds: ['opened'] })
    for (const kind of ['opened', 'resolved', 'degraded', 'dns_changed'] as const) await stage.alert({ kind })
    assert.deepEqual(
      (await alertsOf(stage)).map((row) => [row.kind, row.contact_id]),
      [
        ['opened', choosy],
        ['opened', keeper],
        ['resolved', keeper],
      ],
    )
  })

  test('a change that is reported several times is one alert', async () => {
    await using stage = await newAlertingTest(engine)
    await stage.contact('WEBHOOK', { url: 'https://a.example' })
    const at = stage.clock.now()
    for (let i = 0; i < 3; i += 1) {
      await stage.alert({ at: at + i })
      await stage.alert({ kind: 'degraded', incidentId: null, at })
    }
    await stage.alert({ kind: 'degraded', incidentId: null, at: at + 1 })
    assert.deepEqual(
      (await alertsOf(stage)).map(({ kind }) => kind),
      ['opened', 'degraded', 'degraded'],
    )
  })

  test('a contact that got the start of a problem gets its end even if it was detached since', async () => {
    await using stage = await newAlertingTest(engine)
    const contact = await stage.contact('WEBHOOK', { url: 'https://a.example' })
    const monitor = await stage.monitor()
    await stage.alert(monitor)
    await stage.database.write(() => setAttached(stage.orgId, contact, [monitor.monitorNum], false))
    await stage.alert({ ...monitor, kind: 'resolved' })
    await stage.alert({ ...monitor, kind: 'opened', incidentId: 'inc_2' })
    assert.deepEqual(
      (await alertsOf(stage)).map(({ kind }) => kind),
      ['opened', 'resolved'],
    )
  })
})

forEachEngine('contacts and their alerts', (engine) => {
  test('a disabled contact gets no alerts, and not later what it missed', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService()
    const contact = await stage.contact('WEBHOOK', { url: service.url })
    await stage.alert({ incidentId: 'inc_before' })
    await stage.database.write(() => disableContactRow(stage.orgId, contact, stage.clock.now()))
    await stage.alert({ incidentId: 'inc_while' })
    await stage.startNode('a')
    await stage.deliver()
    await stage.database.write(() => saveContact(stage.orgId, contact, { enabled: 1 }))
    await stage.alert({ incidentId: 'inc_after' })
    await stage.deliver()
    assert.deepEqual(service.received.flatMap(incidentsIn), ['inc_after'])
    assert.deepEqual(
      (await alertsOf(stage)).map(({ outcome }) => outcome),
      ['DROPPED', 'SENT'],
    )
  })

  test('failed alerts are retried at once when the settings are changed', async () => {
    await using stage = await newAlertingTest(engine)
    await using dead = await startService(() => ({ status: 404 }))
    await using service = await startService()
    const contact = await stage.contact('WEBHOOK', { url: dead.url })
    await stage.startNode('a', { timing: { ...quickTiming, retryDelaysMs: [600_000] } })
    await stage.alert({ incidentId: 'inc_1' })
    await stage.deliver()
    assert.notEqual((await stage.rendered(contact)).failingSince, null)
    const rules = { sealer, policy: 'allow' } as const
    const change = { settings: { url: service.url } }
    await stage.database.write(() => changeContact(stage.orgId, contact, change, rules, stage.clock.now()))
    await stage.advance(quickTiming.groupWaitMs)
    assert.deepEqual(service.received.flatMap(incidentsIn), ['inc_1'])
    assert.equal((await stage.rendered(contact)).lastError, null)
  })
})

forEachEngine('stored contacts and alerts', (engine) => {
  test('secrets are stored sealed and never shown', async () => {
    await using stage = await newAlertingTest(engine)
    const secret = 'tk_very-secret-token'
    const contact = await stage.contact('NTFY', { topic: 'ops', token: secret })
    const rows = await stage.database.read(contactsOf(stage.orgId))
    assert.ok(!JSON.stringify(rows).includes('very-secret'))
    assert.deepEqual((await stage.rendered(contact)).settings, {
      topic: 'ops',
      token: 'set',
      priority: 5,
      server: 'https://ntfy.sh',
    })
  })

  test('alerts settled 30 days ago are pruned in small steps, except those of open problems', async () => {
    await using stage = await newAlertingTest(engine)
    await using service = await startService()
    await stage.contact('WEBHOOK', { url: service.url })
    for (let i = 0; i < 5; i += 1) await stage.alert({ incidentId: `inc_${i}` })
    for (let i = 0; i < 4; i += 1) await stage.alert({ kind: 'resolved', incidentId: `inc_${i}` })
    await using node = await stage.startNode('a')
    await stage.deliver()
    assert.ok((await alertsOf(stage)).every(({ outcome }) => outcome === 'SENT'))
    await node.stop()
    const prune = (days: number, limit: number) =>
      stage.database.write(() => pruneAlerts(stage.clock.now() + days * DAY_MS, limit))
    assert.equal(await prune(29, 100), 0)
    assert.equal(await prune(31, 6), 6)
    assert.equal(await prune(31, 6), 2)
    assert.deepEqual(
      (await alertsOf(stage)).map((row) => row.incident_id),
      ['inc_4'],
    )
    assert.equal(await prune(400, 6), 1)
  })
})
