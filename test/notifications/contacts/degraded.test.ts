import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import tls from 'node:tls'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { englishText } from '../../../src/reasons/english.ts'
import { reasonIn } from '../../../src/reasons/stored.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { listen } from '../../outbound/fixtures.ts'
import { DAY_MS, makeSelfSigned } from '../../support/certificates.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { domain, startRdap } from '../../support/rdap-server.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { addHook, quickTiming } from './alerting.ts'
import { startService } from './service.ts'

const IN_FOUR_DAYS = new Date(Date.now() + 4 * DAY_MS + HOUR_MS)

/** A server with a webhook contact; `alertsOf` checks a new monitor and returns the alerts that this queued. */
async function alertingServer(engine: Parameters<typeof startTestServer>[0]) {
  const [service, rdap] = [await startService(), await startRdap()]
  rdap.domains.set('shop.test', domain('shop.test', IN_FOUR_DAYS.toISOString()))
  const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '', PHAROS_RDAP_BOOTSTRAP: rdap.bootstrap }
  const server = await startTestServer(engine, { env, alertPace: quickTiming })
  const client = server.client()
  await addHook(server, service.url)
  return {
    service,
    client,
    async alertsOf(monitorId: string) {
      assert.equal((await client.post(`/monitors/${monitorId}/check`, {})).body.state, 'DEGRADED')
      const alerts = q.selectFrom('alerts').select(['kind', 'reason']).where('monitor_id', '=', monitorId)
      const rows = await server.running.database.read(execute(alerts.orderBy('num')))
      return rows.map(({ kind, reason }) => `${kind}: ${reason === null ? null : englishText(reasonIn(reason))}`)
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rdap[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

forEachEngine('a monitor that becomes DEGRADED', (engine) => {
  test('because its certificate or domain expires sends the expiry alone', async () => {
    await using scene = await alertingServer(engine)
    const { client, service } = scene
    const credentials = makeSelfSigned({ hosts: ['127.0.0.1'], validTo: IN_FOUR_DAYS })
    await using shop = await listen(tls.createServer(credentials).on('tlsClientError', () => {}))
    const settings = { sslExpiryThresholdDays: 14, verifySsl: false }
    const ssl = { ...settings, name: 'Shop', type: 'SSL', url: `127.0.0.1:${shop.port}` }
    const certificate = await scene.alertsOf((await client.post('/monitors', ssl)).body.id)
    assert.match(certificate.join(), /^certificate_expiring: expires on [A-Z][a-z]{2} \d{1,2}, \d{4} \(4 days\)$/)
    const registration = { name: 'Domain', type: 'DOMAIN', url: 'shop.test', sslExpiryThresholdDays: 14 }
    const expiring = await scene.alertsOf((await client.post('/monitors', registration)).body.id)
    assert.match(expiring.join(), /^domain_expiring: expires on [A-Z][a-z]{2} \d{1,2}, \d{4} \(4 days\)$/)
    await eventually(async () => {
      const kinds = service.received.flatMap(({ body }) => body.alerts.map(({ kind }: { kind: string }) => kind))
      assert.deepEqual(kinds, ['certificate_expiring', 'domain_expiring'])
    })
  })

  test('because it is slow names the response times and the limit', async () => {
    await using scene = await alertingServer(engine)
    const { client } = scene
    await using target = await listen(http.createServer((_request, response) => setTimeout(() => response.end(), 20)))
    const url = `http://127.0.0.1:${target.port}/`
    const settings = { name: 'Search', type: 'HTTP', url, degradedThresholdMs: 1 }
    const textOf = async (rules: object) => {
      const { id } = (await client.post('/monitors', { ...settings, ...rules })).body
      await client.post(`/monitors/${id}/check`, {})
      return (await scene.alertsOf(id)).join()
    }
    assert.match(await textOf({ degradedSamples: 1 }), /^degraded: the last response took \d+ ms, limit 1 ms$/)
    assert.match(
      await textOf({ degradedSamples: 2 }),
      /^degraded: the last 2 responses took \d+ and \d+ ms, limit 1 ms$/,
    )
    assert.match(
      await textOf({ degradedSamples: 2, degradedThresholdMode: 'P95' }),
      /^degraded: p95 of the last 2 responses is \d+ ms, limit 1 ms$/,
    )
  })

  test('because an assertion fails names the assertion, not the response time', async () => {
    await using scene = await alertingServer(engine)
    const { client } = scene
    await using target = await startHttpTarget()
    target.body = '{"db":{"status":"degraded"}}'
    const { id } = (await client.post('/monitors', { name: 'Search', type: 'HTTP', url: target.url })).body
    const failing = { source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok', severity: 'DEGRADED' }
    await client.send('PUT', `/monitors/${id}/assertions`, { assertions: [failing] })
    assert.deepEqual(await scene.alertsOf(id), ['degraded: $.db.status is "degraded", expected "ok"'])
  })
})
