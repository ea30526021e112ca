import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { insertContact } from '../../../src/notifications/contacts/create.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { claim, OWNER } from '../../support/person.ts'
import { closedPort } from '../../support/ports.ts'
import { startTestServer } from '../../support/server.ts'
import { startSmtp } from '../../support/smtp-server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { mailEnv } from '../subscribers/mailing.ts'
import { addHook, newHookTest, quickTiming, sealer } from './alerting.ts'
import { startService } from './service.ts'

const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '0.001' }
const CLOCK = String.raw`\d{1,2}:\d{2}:\d{2}\s[AP]M`
const linesOf = (service: Awaited<ReturnType<typeof startService>>, i: number): string[] =>
  service.received[i]?.body.text.split('\n')

forEachEngine('a message about an outage', (engine) => {
  test('has the failed tries, the port, one clock, and at the end the uptime of today', async () => {
    await using target = await startHttpTarget()
    await using service = await startService()
    await using server = await startTestServer(engine, { env, alertPace: quickTiming })
    const client = server.client()
    await addHook(server, service.url)
    const settings = { name: 'Checkout', type: 'HTTP', url: target.url, expectedStatus: [200] }
    const { id } = (await client.post('/monitors', settings)).body
    const check = () => client.post(`/monitors/${id}/check`, {})
    await check()
    target.status = 503
    await check()
    await eventually(async () => assert.equal(service.received.length, 1))
    const [reason, url, since] = linesOf(service, 0)
    assert.deepEqual([reason, url], ['HTTP 503 Service Unavailable (expected 200)', target.url])
    assert.match(since ?? '', new RegExp(`^Since ${CLOCK} UTC, 2 failed tries$`))
    target.status = 200
    await check()
    await eventually(async () => assert.equal(service.received.length, 2))
    assert.match(service.received[1]?.body.title, /^Checkout is up again after \d+ s$/)
    const [down, uptime] = linesOf(service, 1)
    assert.match(down ?? '', new RegExp(`^Down ${CLOCK} to ${CLOCK} UTC: HTTP 503 Service Unavailable`))
    assert.match(uptime ?? '', /^Uptime today \d+(\.\d+)?%$/)
  })

  test('names the port of a target that has one', async () => {
    await using service = await startService()
    await using server = await startTestServer(engine, { env, alertPace: quickTiming })
    const client = server.client()
    await addHook(server, service.url)
    const port = await closedPort()
    await client.post('/monitors', { name: 'Mail', type: 'PORT', host: '127.0.0.1', port })
    await eventually(async () => assert.equal(service.received.length, 1))
    assert.equal(service.received[0]?.body.alerts[0].target, `127.0.0.1:${port}`)
    assert.ok(linesOf(service, 0).includes(`127.0.0.1:${port}`))
  })
})

forEachEngine('an acknowledgement', (engine) => {
  test('is announced to those who were alerted, and not to the user who acknowledged', async () => {
    await using target = await startHttpTarget()
    await using informed = await startService()
    await using late = await startService()
    await using smtp = await startSmtp()
    const mail = mailEnv(smtp.port)
    await using server = await startTestServer(engine, { env: { ...env, ...mail }, alertPace: quickTiming })
    const owner = await claim(server, OWNER)
    const { database } = server.running
    await addHook(server, informed.url)
    const orgId = await server.defaultOrgId()
    const own = { orgId, name: 'Own', channel: 'EMAIL', settings: { address: OWNER } } as const
    await database.write(() => insertContact(own, sealer, Date.now()))
    await database.write(() => execute(q.updateTable('contacts').set({ confirmed: 1 })))
    target.status = 503
    const settings = { name: 'Checkout', type: 'HTTP', url: target.url, expectedStatus: [200] }
    await owner.post('/v1/monitors', settings)
    await eventually(async () => assert.deepEqual([informed.received.length, smtp.mails.length], [1, 1]))
    await addHook(server, late.url)
    const [{ id }] = (await server.client().get('/incidents')).body.data
    const session = { origin: server.url, 'sec-fetch-site': 'same-origin', cookie: owner.cookie as string }
    for (let i = 0; i < 2; i += 1) {
      const url = `${server.url}/app/api/v1/incidents/${id}/acknowledge`
      assert.equal((await fetch(url, { method: 'POST', headers: session })).status, 200)
    }
    await eventually(async () => assert.equal(informed.received.length, 2))
    const { title, severity, alerts } = informed.received[1]?.body ?? {}
    assert.match(title, /^owner acknowledged Checkout \(down for \d+ s\)$/)
    assert.deepEqual([severity, alerts.map(({ kind }: { kind: string }) => kind)], ['info', ['acknowledged']])
    target.status = 200
    const [{ id: monitorId }] = (await owner.get('/v1/monitors')).body.data
    await owner.post(`/v1/monitors/${monitorId}/check`, {})
    await eventually(async () => assert.deepEqual([informed.received.length, smtp.mails.length], [3, 2]))
    assert.match(smtp.mails[1]?.headers.subject?.[0] ?? '', /is up again/)
    await eventually(async () => assert.equal(late.received.length, 1))
    assert.match(late.received[0]?.body.title, /is up again/, 'not the acknowledgement')
  })

  test('before the alert was sent is part of it', async () => {
    await using stage = await newHookTest(engine)
    await stage.alert({})
    await stage.alert({ kind: 'acknowledged', facts: { acknowledgedBy: 'Ana' }, reason: null })
    await stage.deliver()
    const [first, ...others] = stage.service.received
    assert.equal(first?.body.title, 'Checkout is down')
    assert.match(first?.body.text, /\nAcknowledged by Ana$/)
    assert.deepEqual(others, [])
  })
})

forEachEngine('a message about a flapping monitor', (engine) => {
  test('has the times of the outages, and advises to confirm recoveries unless the monitor does', async () => {
    const textAfter = async (options: string | null) => {
      await using stage = await newHookTest(engine)
      const { monitorId } = await stage.monitor()
      const monitors = q.updateTable('monitors').set({ options })
      await stage.database.write(() => execute(monitors))
      for (let i = 0; i < 4; i += 1) {
        const change = { monitorId, incidentId: `inc_${i}` }
        await stage.alert(change)
        await stage.advance(MINUTE_MS)
        await stage.alert({ ...change, kind: 'resolved', reason: null })
        await stage.advance(MINUTE_MS)
      }
      await stage.advance(5 * MINUTE_MS)
      return stage.service.received.at(-1)?.body
    }
    const { title, text } = await textAfter(null)
    assert.match(title, /^Checkout is flapping: down 4 times in \d+ min, up now$/)
    assert.match(text, /\nDown at (\d{1,2}:\d{2} [AP]M UTC(, )?){4}\n/)
    assert.match(text, /\nNext message in 5 min at the earliest\nFor fewer messages, raise "Successes until recovered"/)
    const confirming = await textAfter(JSON.stringify({ confirmation: { recoverySuccesses: 3 } }))
    assert.doesNotMatch(confirming.text, /For fewer messages/)
  })
})
