import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api, Tenant } from './api.ts'
import { type MonitorOperation, monitorOperations } from './contract.ts'
import { expectError, type MonitorBody, made, smallest, unchangedBy } from './monitors.ts'
import type { Answer, Client } from './server.ts'
import { setSubscription } from './tables.ts'

function operationNamed(name: string): MonitorOperation {
  const found = monitorOperations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`There is no operation ${name}`)
  return found
}

/** Sends the operation's valid request for the given monitor. */
export function call(
  client: Client,
  { method, path, body }: MonitorOperation,
  id: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(method, path(id), body?.(), headers)
}

async function tenantWithMonitor(api: Api): Promise<Tenant & { monitor: MonitorBody }> {
  const tenant = await api.tenant()
  return { ...tenant, monitor: await made(tenant.client, smallest('CRON')) }
}

/** Tests of the outcomes that all operations share, and that failures change nothing. */
export function sharedOutcomes(name: string, api: Api): void {
  const operation = operationNamed(name)
  refusedWithoutKey(operation, api)
  if (operation.changes) refusedToReaders(operation, api)
  else openToReaders(operation, api)
  if (operation.path('a') !== operation.path('b')) unknownMonitors(operation, api)
  if (operation.body !== undefined) needsBody(operation, api)
  if (operation.method === 'POST' && operation.status === 200) takesEmptyBodyOnly(operation, api)
}

function refusedWithoutKey(operation: MonitorOperation, api: Api): void {
  test(`${operation.name} without a key is 401 and does nothing`, async () => {
    const { client, monitor } = await tenantWithMonitor(api)
    const answer = await unchangedBy(client, () => call(api.clientWith({}), operation, monitor.id))
    expectError(answer, 'unauthorized')
  })
}

function refusedToReaders(operation: MonitorOperation, api: Api): void {
  test(`${operation.name} with a read-only key is 403 and does nothing`, async () => {
    const { client, monitor, reader } = await tenantWithMonitor(api)
    const readOnly = await reader()
    expectError(await unchangedBy(client, () => call(readOnly, operation, monitor.id)), 'forbidden')
  })

  test(`${operation.name} without an active subscription is 422 and does nothing, until there is one`, async () => {
    const { client, monitor, orgId } = await tenantWithMonitor(api)
    await setSubscription(api.server, orgId, 'inactive')
    const answer = await unchangedBy(client, () => call(client, operation, monitor.id))
    expectError(answer, 'subscription_required')
    await setSubscription(api.server, orgId, 'active')
    assert.equal((await call(client, operation, monitor.id)).status, operation.status)
  })
}

function openToReaders(operation: MonitorOperation, api: Api): void {
  test(`${operation.name} works with a read-only key, and alike with a full-access one`, async () => {
    const { client, monitor, reader } = await tenantWithMonitor(api)
    const answer = await call(await reader(), operation, monitor.id)
    assert.equal(answer.status, 200)
    assert.deepEqual((await call(client, operation, monitor.id)).body, answer.body)
  })

  test(`${operation.name} still works without an active subscription`, async () => {
    const { client, monitor, orgId } = await tenantWithMonitor(api)
    const { body } = await call(client, operation, monitor.id)
    await setSubscription(api.server, orgId, 'inactive')
    const answer = await call(client, operation, monitor.id)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, body)
  })
}

function unknownMonitors(operation: MonitorOperation, api: Api): void {
  test(`${operation.name} cannot tell another organization's monitor from one that never was`, async () => {
    const own = await tenantWithMonitor(api)
    const other = await tenantWithMonitor(api)
    const never = `mon_${'0'.repeat(32)}`
    const answers = await unchangedBy(other.client, () =>
      unchangedBy(own.client, () =>
        Promise.all([other.monitor.id, never].map((id) => call(own.client, operation, id))),
      ),
    )
    const said = answers.map(({ status, body: { error } }) => {
      const { requestId, ...rest } = error
      return { status, ...rest }
    })
    assert.equal(said[0]?.code, 'not_found')
    assert.deepEqual(said[0], said[1])
  })
}

function needsBody(operation: MonitorOperation, api: Api): void {
  test(`${operation.name} refuses a missing body and one that is no JSON object, and does nothing`, async () => {
    const { client, monitor } = await tenantWithMonitor(api)
    const { method, path } = operation
    await unchangedBy(client, async () => {
      for (const body of [undefined, '', 'null', '[]', '[{}]', '"{}"', '5', 'true', '{', '{"a":}', "{'a':1}", '{}{}']) {
        const answer = await client.send(method, path(monitor.id), body)
        assert.equal(answer.status, 400, `body ${body}`)
        expectError(answer, 'validation_error', ['body'])
      }
    })
  })
}

function takesEmptyBodyOnly({ name, method, path }: MonitorOperation, api: Api): void {
  test(`${name} takes nothing but an empty object: every property is a fault, and it does nothing`, async () => {
    const { client, monitor } = await tenantWithMonitor(api)
    await unchangedBy(client, async () => {
      const answer = await client.send(method, path(monitor.id), { name: 'x', reason: null, '': 1 })
      expectError(answer, 'validation_error')
      const paths = answer.body.error.details.map((fault: { path: string }) => fault.path)
      assert.equal(paths.length, 3)
      assert.ok(paths.includes('name') && paths.includes('reason'))
    })
    assert.equal((await client.send(method, path(monitor.id), ' {\n} ')).status, 200)
  })
}
