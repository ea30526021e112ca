import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { shortenUrl } from '../../../src/lib/mask.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { makeOneOfEach, oneOfEachEnv, SECTION } from '../../support/one-of-each.ts'
import type { Answer, Client } from '../../support/server.ts'
import { setSubscription } from '../../support/tables.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { RECEIVER, settle } from '../../support/webhooks.ts'

/** Imports begin with files, not JSON: test/importers/stored-imports. */
const tested = operations.filter(({ path }) => !path.startsWith('/imports'))
type Tested = (typeof tested)[number]
const reads = tested.filter(({ method }) => method === 'GET')
/** Parts are deleted before what they belong to. */
const writes = [
  ...tested.filter(({ method }) => method !== 'GET' && method !== 'DELETE'),
  ...tested.filter(({ method }) => method === 'DELETE').toSorted((a, b) => b.path.length - a.path.length),
]

type Ids = Readonly<Record<string, string>>
const times = { startsAt: '2040-01-01T00:00:00Z', endsAt: '2040-01-01T01:00:00Z' }

/** The bodies of operations that take one. */
const bodies: Readonly<Record<string, (given: Ids) => object>> = {
  createMonitor: () => ({ name: 'Nightly backup', type: 'CRON' }),
  updateMonitor: () => ({ name: 'Renamed' }),
  pauseMonitor: () => ({}),
  resumeMonitor: () => ({}),
  checkMonitor: () => ({}),
  createStatusPage: () => ({ name: 'New' }),
  updateStatusPage: () => ({ name: 'Changed' }),
  createMaintenanceWindow: () => ({ name: 'Upgrade', ...times, allMonitors: true }),
  updateMaintenanceWindow: () => ({ description: 'Changed' }),
  createPublishedIncident: ({ statusPageId }) => ({ title: 'New', message: 'Soon.', statusPageIds: [statusPageId] }),
  updatePublishedIncident: () => ({ title: 'Changed' }),
  postPublishedIncidentUpdate: () => ({ status: 'RESOLVED', message: 'Over.' }),
  createWebhookEndpoint: () => ({ url: RECEIVER }),
  updateWebhookEndpoint: () => ({ description: 'Changed' }),
  rotateHeartbeatToken: () => ({}),
  tryMonitor: ({ url }) => ({ name: 'Shop', type: 'HTTP', url }),
  muteMonitor: () => ({ until: new Date(Date.now() + 3_600_000).toISOString() }),
  setMonitorAssertions: () => ({ assertions: [] }),
  setMonitorRequest: () => ({}),
  setMonitorDialogue: () => ({ steps: [{ expect: '220' }] }),
  setMonitorSchedule: () => ({ cron: '0 3 * * *' }),
  setMonitorConfirmation: () => ({ failureRetries: 1 }),
  setMonitorNotes: () => ({ text: 'Call Ada' }),
  setMonitorLegacyAddress: () => ({ tool: 'KUMA', token: 'd0w7Kx4pQz' }),
  setMonitorLabels: () => ({ labels: { team: 'pay' } }),
  changeMonitors: ({ monitorId }) => ({ monitorIds: [monitorId], action: 'PAUSE' }),
  updateMonitors: () => ({ selector: 'team=pay', intervalSeconds: 600 }),
  setMaintenanceWindowSelector: () => ({ selector: 'team=pay' }),
  setStatusPageLogo: () => ({ image: 'R0lGODlhAQABAAAAACw=' }),
  setStatusPageSelectors: () => ({ sections: [{ name: SECTION, selector: 'team=pay' }] }),
  createContact: ({ url }) => ({ name: 'Second', channel: 'WEBHOOK', settings: { url } }),
  updateContact: () => ({ name: 'Renamed' }),
  createIncidentNote: () => ({ body: 'A disk is full' }),
  updateIncidentNote: () => ({ body: 'Two disks are full' }),
  planConfiguration: () => ({ document: { version: 1 } }),
  applyConfiguration: ({ planId }) => ({ planId: planId ?? 'plan_unknown' }),
  importHistory: () => ({ source: 'import-kuma', monitors: [] }),
  finishImport: () => ({ source: 'import-kuma' }),
  createShadowRun: () => ({ tool: 'KUMA', url: 'http://127.0.0.1:9/metrics', key: 'uk1_key' }),
  finishShadowRun: () => ({ enableContacts: true }),
  retryFailedDeliveries: () => ({ since: '2026-01-01T00:00Z' }),
}

/** An organization with one resource of each kind. */
interface Scene extends Tenant {
  readonly ids: Ids
  send(operation: Tested, headers?: Record<string, string>, by?: Client, ids?: Ids): Promise<Answer>
}

function pathOf(path: string, ids: Ids): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? assert.fail(`no ${name}`))
}

async function sceneOf(api: Api, url = 'http://127.0.0.1:9/'): Promise<Scene> {
  const tenant = await api.tenant()
  const ids: Ids = { ...(await makeOneOfEach(api.server, tenant.client, tenant.orgId, url)), url }
  await settle(api.server, ids.deliveryId ?? '', 'FAILED')
  return {
    ...tenant,
    ids,
    send: ({ id, method, path }, headers = {}, by = tenant.client, named = ids) =>
      by.send(method, pathOf(path, named), bodies[id]?.(ids), headers),
  }
}

/** Asserts that `action` changes nothing that the organization can read. */
async function unchangedBy<T>({ client, ids }: Scene, action: () => Promise<T>): Promise<T> {
  const look = async () => {
    const seen: [string, unknown][] = []
    for (const { id, path } of reads) seen.push([id, (await client.get(pathOf(path, ids))).body])
    return seen
  }
  const earlier = await look()
  const result = await action()
  assert.deepEqual(await look(), earlier, 'something changed')
  return result
}

/** Bodies that are no JSON object. */
const malformed = ['null', '[]', '[{}]', '"{}"', '5', 'true', '{', '{"a":}', "{'a':1}", '{}{}']

/** Every client checks headers, status and body of each answer against the document. Failures come before the first query. */
describe('every operation', () => {
  const api = useApi('sqlite', { env: oneOfEachEnv, clock: new HandClock() })
  let scene: Scene
  let readOnly: Client
  before(async () => {
    scene = await sceneOf(api)
    readOnly = await scene.reader()
  })

  test('without a valid key is 401 and changes nothing', async () => {
    const { key } = scene
    await unchangedBy(scene, async () => {
      for (const headers of [{}, { 'x-api-key': `${key}x` }, { 'x-api-key': key, authorization: `Bearer ${key}` }]) {
        const nobody = api.clientWith({ ...headers })
        for (const operation of tested) expectError(await scene.send(operation, {}, nobody), 'unauthorized')
      }
    })
  })

  test('has 405 for other methods, and Allow lists those of the path', async () => {
    const { client, ids } = scene
    await unchangedBy(scene, async () => {
      const paths = Map.groupBy(tested, (operation) => operation.path)
      for (const [path, own] of paths) {
        // The methods of /monitors/bulk are also those of a monitor with this id.
        const parent = path.replace(/[^/]+$/, '')
        if (!/:\w+$/.test(path) && paths.keys().some((other) => /^:\w+$/.test(other.replace(parent, '')))) continue
        const methods: readonly string[] = own.map(({ method }) => method)
        const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !methods.includes(each))) {
          const answer = await client.send(method, pathOf(path, ids), method === 'GET' ? undefined : {})
          assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allowed.join(', ')], `${method} ${path}`)
        }
      }
    })
  })

  test('that reads works with a read-only key and without a subscription, by GET and by HEAD', async () => {
    const { orgId, send } = scene
    // One names the subscription, the other one the key.
    const varying = ['getUsage', 'getCurrentKey']
    const before: Answer[] = []
    for (const operation of reads) before.push(await send(operation))
    await setSubscription(api.server, orgId, 'inactive')
    for (const [i, operation] of reads.entries()) {
      const { id } = operation
      const { status, body } = before[i] as Answer
      assert.equal(status, 200, id)
      const seen = await send(operation, {}, readOnly)
      if (!varying.includes(id)) {
        assert.deepEqual((await send(operation)).body, body, id)
        const masked = JSON.parse(JSON.stringify(body).replaceAll(RECEIVER, shortenUrl(RECEIVER)))
        // The same address is an example there.
        assert.deepEqual(seen.body, id === 'listWebhookEventTypes' ? body : masked, id)
      }
      const head = await send({ ...operation, method: 'HEAD' } as never, {}, readOnly)
      assert.deepEqual([head.status, head.body], [200, undefined], id)
      for (const name of ['content-type', 'content-length']) {
        assert.equal(head.headers.get(name), seen.headers.get(name), `${id} ${name}`)
      }
    }
    await setSubscription(api.server, orgId, 'active')
  })

  test('that writes is 403 with a read-only key and 422 without a subscription, and changes nothing', async () => {
    await setSubscription(api.server, scene.orgId, 'inactive')
    await unchangedBy(scene, async () => {
      for (const operation of writes) {
        const { id, readOnlyKeys } = operation
        if (readOnlyKeys !== true) expectError(await scene.send(operation, {}, readOnly), 'forbidden')
        const answer = await scene.send(operation)
        assert.deepEqual([answer.status, answer.body.error?.code], [422, 'subscription_required'], id)
      }
    })
    await setSubscription(api.server, scene.orgId, 'active')
  })

  test('that writes rejects a body that is not a JSON object, and a missing one that it needs', async () => {
    const { client, ids } = scene
    await unchangedBy(scene, async () => {
      for (const { id, method, path, body: schema, bodyRequired } of writes) {
        const needsBody = schema !== undefined && bodyRequired !== false
        for (const body of needsBody ? [undefined, '', ...malformed] : malformed) {
          const answer = await client.send(method, pathOf(path, ids), body)
          assert.equal(answer.status, 400, `${id}: ${body}`)
          expectError(answer, 'validation_error', ['body'])
        }
      }
    })
  })

  test('that writes rejects properties that it does not have', async () => {
    const { client, ids } = scene
    await unchangedBy(scene, async () => {
      for (const { id, method, path } of writes) {
        const answer = await client.send(method, pathOf(path, ids), { force: true, reason: null, '': 1 })
        expectError(answer, 'validation_error')
        const paths = answer.body.error.details.map((fault: { path: string }) => fault.path)
        for (const property of ['force', 'reason']) assert.ok(paths.includes(property), `${id} ${property}`)
      }
    })
  })

  test('that is an extension refuses unknown query parameters, which those of the specification ignore', async () => {
    for (const { id, method, path, extension } of operations) {
      const address = `${path.replace(/:\w+/g, 'mon_unknown')}?form=2026&__proto__=1`
      const { status, body } = await scene.client.send(method, address)
      const paths = status === 400 ? body.error.details.map((fault: { path: string }) => fault.path) : []
      const unknown = paths.filter((name: string) => name === 'form' || name === '__proto__')
      assert.deepEqual(unknown, extension ? ['form', '__proto__'] : [], id)
    }
  })
})

function withoutRequestId({ status, body: { error } }: Answer): { readonly status: number; readonly code?: string } {
  const { requestId: _, ...rest } = error
  return { status, ...rest }
}

forEachEngine('an operation', (engine) => {
  const api = useApi(engine, { env: oneOfEachEnv, clock: new HandClock() })

  test("answers the same for another organization's resource as for one that does not exist", async () => {
    const [own, other] = [await sceneOf(api), await sceneOf(api)]
    const named = tested.filter(({ path }) => /:\w+Id/.test(path))
    const renamed = (to: (id: string) => string) =>
      Object.fromEntries(Object.entries(own.ids).map(([name, id]) => [name, to(id)]))
    const unknown = [
      renamed((id) => id.replace(/_.*/, `_${'0'.repeat(32)}`)),
      renamed((id) => `${id}0`),
      renamed(() => 'x'),
    ]
    await unchangedBy(other, () =>
      unchangedBy(own, async () => {
        for (const operation of named) {
          const answers: Answer[] = []
          for (const ids of [other.ids, ...unknown]) answers.push(await own.send(operation, {}, own.client, ids))
          const [first, ...others] = answers.map(withoutRequestId)
          assert.deepEqual([first?.status, first?.code], [404, 'not_found'], operation.id)
          for (const error of others) assert.deepEqual(error, first, operation.id)
        }
      }),
    )
    const { client } = await api.tenant()
    for (const path of ['/overview', '/wall-board']) assert.equal((await client.get(path)).body.counts.total, 0, path)
    assert.equal((await client.get('/monitor-list')).body.pagination.total, 0)
    const { monitorId } = own.ids
    assert.equal((await client.get(`/alert-coverage?monitorId=${monitorId}`)).body.uncovered, 0)
  })

  test('that writes runs once per Idempotency-Key and returns the same response again', async () => {
    await using target = await startHttpTarget()
    const scene = await sceneOf(api, target.url)
    const { client } = scene
    const settings = { address: 'stranger@example.com' }
    const { body: mail } = await client.post('/contacts', { name: 'Mail', channel: 'EMAIL', settings })
    const web = (await createMonitor(client)).id
    const port = (await createMonitor(client, smallest('PORT'))).id
    /** The monitor of the others is a CRON monitor. Only an address that nobody has confirmed gets another e-mail. */
    const special: Readonly<Record<string, Ids>> = {
      setMonitorAssertions: { monitorId: web },
      setMonitorRequest: { monitorId: web },
      setMonitorDialogue: { monitorId: port },
      resendContactConfirmation: { contactId: mail.id },
    }
    let plan: Ids = {}
    for (const { id, method, path, answer } of writes) {
      const headers = { 'idempotency-key': id }
      const ids = { ...scene.ids, ...plan, ...special[id] }
      const body = bodies[id]?.(ids)
      const send = () => client.send(method, pathOf(path, ids), body, headers)
      const first = await send()
      const replayed = (one: Answer) => one.headers.get('idempotency-replayed')
      assert.deepEqual([first.status, replayed(first)], [answer.status, null], `${id} ${JSON.stringify(first.body)}`)
      if (first.body.planId !== undefined) plan = { planId: first.body.planId }
      const again = await send()
      assert.deepEqual([again.status, replayed(again), again.body], [first.status, 'true', first.body], id)
      const other = await client.post('/status-pages', { name: 'Another' }, headers)
      expectError(other, 'idempotency_conflict')
    }
  })
})
