import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { type Api, useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { startReceiver, verified } from '../support/receiver.ts'
import { startTestServer } from '../support/server.ts'
import { createDelivery } from '../support/webhooks.ts'
import { actionsOf, apply, type Change, cron, everything, idOf, plan } from './support.ts'

forEachEngine('applying a plan', (engine) => {
  const api = useApi(engine)

  test('creates everything of a document with events and audit entries, and a second plan has no changes', async () => {
    const { client } = await api.tenant()
    const { summary } = await apply(client, everything)
    assert.deepEqual(summary, { create: 9, update: 0, delete: 0, release: 0, none: 0 })
    const again = await plan(client, everything)
    assert.deepEqual(actionsOf(again.changes), [])
    assert.equal(again.summary.none, 9)
    const id = await idOf(client, '/monitors', 'Shop')
    assert.deepEqual((await client.get(`/monitors/${id}/source`)).body, { source: 'shop-team', key: 'shop' })
    const { body: log } = await client.get(`/audit-log?target=${id}`)
    assert.ok(log.data.some(({ action }: { action: string }) => action === 'createMonitor'))
    const { body: shop } = await client.get(`/monitors/${id}`)
    assert.equal(shop.requestHeaders.Authorization, 'Bearer secret-token')
  })

  test('shows a change by hand as drift, hides secrets, and undoes it', async () => {
    const { client } = await api.tenant()
    await apply(client, { version: 1, monitors: { shop: everything.monitors.shop } })
    const id = await idOf(client, '/monitors', 'Shop')
    await client.patch(`/monitors/${id}`, { timeoutSeconds: 7, requestHeaders: { Authorization: 'Bearer other' } })
    const { changes } = await plan(client, { version: 1, monitors: { shop: everything.monitors.shop } })
    assert.deepEqual(
      changes[0]?.fields.map(({ path, before, after }) => [path, before, after]),
      [
        ['requestHeaders.Authorization', '(secret)', '(secret)'],
        ['requestHeaders.Accept', null, 'text/html'],
        ['timeoutSeconds', 7, 30],
      ],
    )
    await apply(client, { version: 1, monitors: { shop: everything.monitors.shop } })
    assert.equal((await client.get(`/monitors/${id}`)).body.timeoutSeconds, 30)
  })

  test('releases what is missing, deletes it only on request, and never touches another source', async () => {
    const { client } = await api.tenant()
    const other = { version: 1, source: 'other', monitors: { job: cron('Other job') } }
    await apply(client, other)
    const jobs = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, cron(key)]))
    await apply(client, { version: 1, monitors: jobs })
    const { a, b, ...fewer } = jobs
    assert.deepEqual(actionsOf((await plan(client, { version: 1, monitors: { ...fewer, b } })).changes), [
      'RELEASE monitors.a',
    ])
    const deletion = await plan(client, { version: 1, monitors: fewer }, { delete: true })
    assert.deepEqual(actionsOf(deletion.changes), ['DELETE monitors.a', 'DELETE monitors.b'])
    assert.equal(typeof deletion.changes.find(({ action }) => action === 'DELETE')?.historyDays, 'number')
    const refused = await client.post('/configuration/apply', { planId: deletion.planId })
    assert.deepEqual([refused.status, refused.body.error.details[0].path], [400, 'confirmDeletes'])
    const done = await client.post('/configuration/apply', { planId: deletion.planId, confirmDeletes: 2 })
    assert.equal(done.status, 200)
    await apply(client, { version: 1, monitors: {} })
    assert.deepEqual(actionsOf((await plan(client, other)).changes), [])
    assert.equal((await client.get('/monitors')).body.pagination.total, 5)
    assert.equal((await client.get(`/monitors/${await idOf(client, '/monitors', 'c')}/source`)).body, null)
  })

  test('adopts by id and renames by was, without losing the resource', async () => {
    const { client } = await api.tenant()
    const { body: made } = await client.post('/monitors', cron('By hand'))
    const warned = await plan(client, { version: 1, monitors: { job: cron('By hand') } })
    assert.match(warned.changes[0]?.warning ?? '', new RegExp(made.id))
    const adopted = { ...cron('By hand'), id: made.id }
    assert.deepEqual(actionsOf((await apply(client, { version: 1, monitors: { job: adopted } })).changes), [
      'UPDATE monitors.job',
    ])
    assert.deepEqual(actionsOf((await plan(client, { version: 1, monitors: { job: adopted } })).changes), [])
    // The id may stay in the file.
    for (const [key, entry] of [
      ['nightly', { ...cron('By hand'), was: 'job' }],
      ['weekly', { ...adopted, was: 'nightly' }],
    ] as const) {
      const renamed = { version: 1, monitors: { [key]: entry } }
      assert.deepEqual(actionsOf((await apply(client, renamed)).changes), [`UPDATE monitors.${key}`])
      assert.deepEqual(actionsOf((await plan(client, renamed)).changes), [])
      assert.deepEqual((await client.get(`/monitors/${made.id}/source`)).body, { source: 'default', key })
    }
  })

  test('keeps logins and dialogues of the document when their monitors get another address', async () => {
    const { client } = await api.tenant()
    const document = (host: string) => ({
      version: 1,
      monitors: {
        shop: { ...everything.monitors.shop, url: `https://${host}/` },
        cache: {
          name: 'Cache',
          type: 'PORT',
          host,
          port: 6379,
          dialogue: { steps: [{ send: 'AUTH x\r\n', expect: '+OK' }] },
        },
      },
    })
    await apply(client, document('one.example'))
    await apply(client, document('two.example'))
    const optionOf = async (name: string, option: string) =>
      (await client.get(`/monitors/${await idOf(client, '/monitors', name)}/${option}`)).body
    assert.equal((await optionOf('Shop', 'request')).auth.password, 'set')
    assert.deepEqual((await optionOf('Cache', 'dialogue')).steps, [{ send: 'set', expect: '+OK' }])
    assert.deepEqual(actionsOf((await plan(client, document('two.example'))).changes), [])
  })

  testAnswer(api)
  testRefusals(api)
})

function testAnswer(api: Api): void {
  test('answers with the ids, heartbeat URLs and signing secrets of what it created, and stores no secret in the clear', async () => {
    const { client } = await api.tenant()
    const statusPages = { main: { ...everything.statusPages.main, slug: 'another-slug' } }
    const { planId } = await plan(client, { ...everything, statusPages })
    const headers = { 'idempotency-key': 'apply-once' }
    const { status, body } = await client.post('/configuration/apply', { planId }, headers)
    assert.equal(status, 200)
    const changes: readonly Change[] = body.changes
    const created = (key: string) => changes.find((change) => change.key === key) as Change
    for (const { kind, key, id } of changes) {
      const list = { monitors: 'monitors', contacts: 'contacts', statusPages: 'status-pages' }[kind]
      if (list !== undefined) assert.equal((await client.get(`/${list}/${id}`)).status, 200, key)
    }
    const { id, heartbeatUrl } = created('backup')
    assert.equal((await client.get(`/monitors/${id}`)).body.heartbeatUrl, heartbeatUrl)
    assert.equal('heartbeatUrl' in created('shop'), false)

    const { secret = '' } = created('hooks')
    assert.match(secret, /^whsec_/)
    assert.deepEqual((await client.post('/configuration/apply', { planId }, headers)).body, body)
    const { database } = api.server.running
    for (const table of ['idempotency_records', 'sealed_lines', 'webhook_endpoints', 'audit_entries'] as const) {
      const rows = await database.read(execute(q.selectFrom(table as 'sealed_lines').selectAll()))
      assert.equal(JSON.stringify(rows).includes(secret), false, table)
    }
  })
}

test('the signing secret of the answer verifies the events that the endpoint gets', async () => {
  await using receiver = await startReceiver()
  await using server = await startTestServer('sqlite', {
    env: { PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' },
  })
  const client = server.client()
  const { changes } = await apply(client, { version: 1, webhookEndpoints: { hooks: { url: receiver.url } } })
  const { id, secret } = changes[0] as Change
  await createDelivery(client, id as string)
  assert.equal(verified(await receiver.message(1), secret as string).type, 'webhook.test')
})

function testRefusals(api: Api): void {
  test('answers 409 if something has changed since, and to the second of two concurrent applications', async () => {
    const { client } = await api.tenant()
    await apply(client, { version: 1, monitors: { job: cron('Job') } })
    const id = await idOf(client, '/monitors', 'Job')
    const first = await plan(client, { version: 1, monitors: { job: cron('Renamed') } })
    await client.patch(`/monitors/${id}`, { graceSeconds: 120 })
    assert.equal((await client.post('/configuration/apply', { planId: first.planId })).status, 409)
    const plans = [
      await plan(client, { version: 1, monitors: { job: cron('One') } }),
      await plan(client, { version: 1, monitors: { job: cron('Two') } }),
    ]
    const answers = await Promise.all(plans.map(({ planId }) => client.post('/configuration/apply', { planId })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  })

  test('changes nothing if one resource exceeds the limits of the plan', async () => {
    const { client } = await api.tenant('FREE')
    const jobs = Array.from({ length: 10 }, (_, i) => [`job-${i}`, cron(`Job ${i}`)])
    const { planId } = await plan(client, { version: 1, monitors: Object.fromEntries(jobs) })
    // After the plan, which would be refused otherwise.
    assert.equal((await client.post('/monitors', cron('By hand'))).status, 201)
    const { status, body } = await client.post('/configuration/apply', { planId })
    assert.deepEqual([status, body.error.code], [422, 'plan_limit'])
    assert.equal((await client.get('/monitors')).body.pagination.total, 1)
  })

  test('a read-only key plans and does not apply', async () => {
    const { client, reader } = await api.tenant()
    const { planId } = await plan(await reader(), { version: 1, monitors: { job: cron('Job') } })
    assert.equal((await (await reader()).post('/configuration/apply', { planId })).status, 403)
    assert.equal((await client.post('/configuration/apply', { planId })).status, 200)
  })
}
