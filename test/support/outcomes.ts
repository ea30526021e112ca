import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api, Tenant } from './api.ts'
import { type MonitorOperation, monitorOperations } from './contract.ts'
import { createMonitor, expectError, type MonitorBody, smallest, unchangedBy } from './monitors.ts'
import type { Answer, Client } from './server.ts'
import { setSubscription } from './tables.ts'

/** Resources by kind, such as `{ monitor }`. */
type Resources<K extends string> = Readonly<Record<K, MonitorBody>>

/** An operation with a request that succeeds. */
export interface TestedOperation<K extends string> {
  readonly name: string
  readonly method: string
  readonly path: (resources: Resources<K>) => string
  /** Undefined for operations that need no body. */
  readonly body?: ((resources: Resources<K>) => unknown) | undefined
  readonly status: number
}

/** The operations of a noun, and an organization that has what they need. */
export interface OperationGroup<K extends string> {
  readonly resources: readonly K[]
  readonly operations: readonly TestedOperation<K>[]
  readonly tenant: (api: Api) => Promise<Tenant & Resources<K>>
  /** Asserts that `action` changes nothing in the organization. */
  readonly unchangedBy: <T>(client: Client, action: () => Promise<T>) => Promise<T>
  /** What a read-only key sees of a body, if it differs. */
  readonly asReadersSee?: (body: Answer['body']) => Answer['body']
}

function send<K extends string>(
  client: Client,
  { method, path, body }: TestedOperation<K>,
  resources: Resources<K>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(method, path(resources), body?.(resources), headers)
}

/**
 * Tests the outcomes that all operations share, and that failures change nothing. Most come before the first query of the
 * operation and are tested on SQLite only.
 */
export function testOutcomes<K extends string>(
  api: Api,
  group: OperationGroup<K>,
  operations: readonly TestedOperation<K>[] = group.operations,
): void {
  for (const operation of operations) {
    if (api.engine === 'sqlite') {
      testKeys(api, group, operation)
      testMethods(api, group, operation)
      if (operation.method === 'GET') testReading(api, group, operation)
      else {
        testPermissions(api, group, operation)
        testBody(api, group, operation)
      }
    }
    if (operation.method !== 'GET') testReplay(api, group, operation)
    if (operation.path(withIds(group, () => 'a')) !== operation.path(withIds(group, () => 'b')))
      testUnknown(api, group, operation)
  }
}

function withIds<K extends string>({ resources }: OperationGroup<K>, idOf: (kind: K) => string): Resources<K> {
  return Object.fromEntries(resources.map((kind) => [kind, { id: idOf(kind) }])) as object as Resources<K>
}

function testKeys<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  test(`${operation.name} without a valid key is 401 and changes nothing`, async () => {
    const tenant = await group.tenant(api)
    const { client, key } = tenant
    await group.unchangedBy(client, async () => {
      for (const headers of [{}, { 'x-api-key': `${key}x` }, { 'x-api-key': key, authorization: `Bearer ${key}` }]) {
        expectError(await send(api.clientWith({ ...headers }), operation, tenant), 'unauthorized')
      }
    })
  })
}

function testMethods<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  test(`${operation.name}: other methods are 405, and Allow lists those of the path`, async () => {
    const tenant = await group.tenant(api)
    const path = operation.path(tenant)
    const methods = group.operations.filter((each) => each.path(tenant) === path).map(({ method }) => method)
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    await group.unchangedBy(tenant.client, async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !methods.includes(each))) {
        const answer = await tenant.client.send(method, path, method === 'GET' ? undefined : {})
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allowed.join(', ')], method)
      }
    })
  })
}

function testReading<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  test(`${operation.name} works with a read-only key and without a subscription, by GET and by HEAD`, async () => {
    const tenant = await group.tenant(api)
    const { status, body } = await send(tenant.client, operation, tenant)
    assert.equal(status, 200)
    await setSubscription(api.server, tenant.orgId, 'inactive')
    assert.deepEqual((await send(tenant.client, operation, tenant)).body, body)
    const readOnly = await tenant.reader()
    const seen = group.asReadersSee?.(body) ?? body
    assert.deepEqual((await send(readOnly, operation, tenant)).body, seen)
    const head = await send(readOnly, { ...operation, method: 'HEAD' }, tenant)
    assert.deepEqual([head.status, head.body], [200, undefined])
    assert.equal(head.headers.get('content-length'), `${Buffer.byteLength(JSON.stringify(seen))}`)
  })
}

function testPermissions<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  test(`${operation.name} with a read-only key is 403 and changes nothing`, async () => {
    const tenant = await group.tenant(api)
    const readOnly = await tenant.reader()
    expectError(await group.unchangedBy(tenant.client, () => send(readOnly, operation, tenant)), 'forbidden')
  })

  test(`${operation.name} without an active subscription is 422 and changes nothing, until there is one`, async () => {
    const tenant = await group.tenant(api)
    await setSubscription(api.server, tenant.orgId, 'inactive')
    const answer = await group.unchangedBy(tenant.client, () => send(tenant.client, operation, tenant))
    assert.equal(answer.status, 422)
    expectError(answer, 'subscription_required')
    await setSubscription(api.server, tenant.orgId, 'active')
    assert.equal((await send(tenant.client, operation, tenant)).status, operation.status)
  })
}

function testReplay<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  test(`${operation.name} runs once per idempotency key and returns the same response again`, async () => {
    const tenant = await group.tenant(api)
    const headers = { 'idempotency-key': 'once' }
    const first = await send(tenant.client, operation, tenant, headers)
    assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [operation.status, null])
    const again = await group.unchangedBy(tenant.client, () => send(tenant.client, operation, tenant, headers))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    const other = await tenant.client.post('/status-pages', { name: 'Another' }, headers)
    expectError(other, 'idempotency_conflict')
  })
}

function testBody<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  const { name, method, path, body: validBody, status } = operation
  const needsBody = validBody !== undefined
  test(`${name} rejects ${needsBody ? 'a missing body and ' : ''}a body that is not a JSON object`, async () => {
    const tenant = await group.tenant(api)
    await group.unchangedBy(tenant.client, async () => {
      const bodies = ['null', '[]', '[{}]', '"{}"', '5', 'true', '{', '{"a":}', "{'a':1}", '{}{}']
      for (const body of needsBody ? [undefined, '', ...bodies] : bodies) {
        const answer = await tenant.client.send(method, path(tenant), body)
        assert.equal(answer.status, 400, `body ${body}`)
        expectError(answer, 'validation_error', ['body'])
      }
    })
  })

  test(`${name} rejects properties that it does not have`, async () => {
    const tenant = await group.tenant(api)
    await group.unchangedBy(tenant.client, async () => {
      const answer = await tenant.client.send(method, path(tenant), { force: true, reason: null, '': 1 })
      expectError(answer, 'validation_error')
      const paths = answer.body.error.details.map((fault: { path: string }) => fault.path)
      for (const property of ['force', 'reason']) assert.ok(paths.includes(property), property)
    })
    const takesEmpty = JSON.stringify(validBody?.(tenant) ?? {}) === '{}'
    if (takesEmpty) assert.equal((await tenant.client.send(method, path(tenant), ' {\n} ')).status, status)
  })
}

function testUnknown<K extends string>(api: Api, group: OperationGroup<K>, operation: TestedOperation<K>): void {
  test(`${operation.name} answers the same for another organization's resource as for one that does not exist`, async () => {
    const [own, other] = [await group.tenant(api), await group.tenant(api)]
    const unknown = [
      withIds(group, (kind) => own[kind].id.replace(/_.*/, `_${'0'.repeat(32)}`)),
      withIds(group, (kind) => `${own[kind].id}0`),
      withIds(group, () => 'x'),
    ]
    // The body names resources that exist.
    const sent = { ...operation, body: operation.body && (() => operation.body?.(own)) }
    const answers = await group.unchangedBy(other.client, () =>
      group.unchangedBy(own.client, () =>
        Promise.all([other, ...unknown].map((resources) => send(own.client, sent, resources))),
      ),
    )
    const [first, ...others] = answers.map(withoutRequestId)
    assert.deepEqual([first?.status, first?.code], [404, 'not_found'])
    for (const error of others) assert.deepEqual(error, first)
  })
}

function withoutRequestId({ status, body: { error } }: Answer): { readonly status: number; readonly code?: string } {
  const { requestId: _, ...rest } = error
  return { status, ...rest }
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

const monitorGroup: OperationGroup<'monitor'> = {
  resources: ['monitor'],
  operations: monitorOperations.map((operation) => ({
    ...operation,
    path: ({ monitor }) => operation.path(monitor.id),
  })),
  async tenant(api) {
    const tenant = await api.tenant()
    return { ...tenant, monitor: await createMonitor(tenant.client, smallest('CRON')) }
  },
  unchangedBy,
}

/** The shared outcomes of an operation on monitors. */
export function sharedOutcomes(name: string, api: Api): void {
  const operations = monitorGroup.operations.filter((operation) => operation.name === name)
  if (operations.length !== 1) throw new Error(`There is no operation ${name}`)
  testOutcomes(api, monitorGroup, operations)
}
