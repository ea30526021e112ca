import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { operations } from '../../../src/server/operations/table.ts'
import { listen } from '../../outbound/fixtures.ts'
import { useApi } from '../../support/api.ts'
import { program } from '../../support/pharos-process.ts'
import { closedPort } from '../../support/ports.ts'

interface Assistant extends AsyncDisposable {
  readonly client: Client
  /** The answer of a tool that must succeed. */
  use(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>
  /** The text of a tool that must fail. */
  refusal(name: string, args?: Record<string, unknown>): Promise<string>
}

/** A client of the protocol that has started `pharos mcp`. */
async function assistant(env: Record<string, string>, ...options: string[]): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1' })
  const args = [program, 'mcp', ...options]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'inherit',
  })
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown> = {}) =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: given }))
  const textOf = ({ content: [first] }: Awaited<ReturnType<typeof call>>) => {
    assert.ok(first?.type === 'text')
    return first.text
  }
  return {
    client,
    async use(name, given) {
      const result = await call(name, given)
      assert.ok(result.isError !== true, textOf(result))
      assert.equal(result.structuredContent, undefined, 'the answer is sent once')
      return JSON.parse(textOf(result)) as Record<string, unknown>
    },
    async refusal(name, given) {
      const result = await call(name, given)
      assert.equal(result.isError, true)
      return textOf(result)
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

describe('pharos mcp', () => {
  const api = useApi('sqlite')

  async function tenant() {
    const { key, client, orgId } = await api.tenant()
    return { env: { PHAROS_URL: api.server.url, PHAROS_API_KEY: key }, client, orgId }
  }

  test('offers only tools that read, and refuses others', async () => {
    const { env, client } = await tenant()
    await using agent = await assistant(env)
    const { tools } = await agent.client.listTools()
    const reading = operations.filter(({ access }) => access === 'read')
    assert.equal(tools.length, reading.length)
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
    await assert.rejects(
      agent.client.callTool({ name: 'create_monitor', arguments: { name: 'a', type: 'CRON' } }),
      /start "pharos mcp" with --write/,
    )
    await assert.rejects(agent.client.callTool({ name: 'fly', arguments: {} }), /Unknown tool fly/)
    assert.equal((await client.get('/monitors')).body.pagination.total, 0)
    assert.match(agent.client.getInstructions() ?? '', /Only tools that read are offered/)
    assert.equal(agent.client.getServerVersion()?.name, 'pharos')
  })

  test('reads lists within bounds, with compact answers', async () => {
    const { env, client } = await tenant()
    for (const name of ['M1', 'M2', 'M3']) await client.post('/monitors', { name, type: 'CRON' })
    await using agent = await assistant(env)
    const all = await agent.use('list_monitors')
    const { body } = await client.get('/monitors')
    const withoutNull = (_: string, value: unknown) => (value === null ? undefined : value)
    assert.deepEqual(all, JSON.parse(JSON.stringify(body, withoutNull)), 'without fields that have no value')
    assert.deepEqual(await agent.use('list_monitors', { limit: 1, fields: ['name', 'state'] }), {
      data: [{ name: 'M1', state: 'PENDING' }],
      pagination: { limit: 1, offset: 0, total: 3 },
    })
    const second = await agent.use('list_monitors', { limit: 1, offset: 1 })
    assert.deepEqual(second.pagination, { limit: 1, offset: 1, total: 3 })
    const [{ id, name }] = second.data as [{ id: string; name: string }]
    assert.equal(name, 'M2')
    assert.equal((await agent.use('get_monitor', { monitorId: id })).name, 'M2')
    assert.match(await agent.refusal('list_monitors', { limit: 101 }), /^validation_error: limit must be/)
  })

  test('changes things with --write, and reports what the API refuses as an error of the tool', async () => {
    const { env, client, orgId } = await tenant()
    await using agent = await assistant(env, '--write')
    const { tools } = await agent.client.listTools()
    // An assistant does not upload files.
    assert.equal(tools.length, operations.filter(({ id }) => id !== 'createImport').length)
    const port = await closedPort()
    const created = await agent.use('create_monitor', { name: 'Shop', type: 'PORT', host: '127.0.0.1', port })
    const monitorId = created.id as string
    assert.equal((await agent.use('update_monitor', { monitorId, intervalSeconds: 60 })).intervalSeconds, 60)
    assert.equal((await agent.use('check_monitor', { monitorId })).state, 'DOWN')
    assert.equal((await agent.use('pause_monitor', { monitorId })).state, 'PAUSED')
    assert.match(
      await agent.refusal('check_monitor', { monitorId }),
      /^conflict: The monitor is paused; .* \(request req_/,
    )
    assert.match(
      await agent.refusal('create_monitor', { name: '', type: 'PORT' }),
      /^validation_error: .*\n- name .*\n- [\s\S]*host/,
    )
    assert.match(await agent.refusal('get_monitor', { monitorId: 'mon_1' }), /^not_found: No such monitor/)
    assert.equal(await agent.refusal('get_monitor', { monitorId: '..' }), 'monitorId must be the ID of a resource')
    assert.equal(await agent.refusal('get_monitor'), 'monitorId is required')
    assert.equal(await agent.refusal('list_monitors', { colour: 'red' }), 'Unknown argument colour')
    assert.deepEqual(await agent.use('delete_monitor', { monitorId }), { data: { id: monitorId } })
    assert.equal((await client.get('/monitors')).body.pagination.total, 0)
    const { key } = await api.server.makeKey(orgId, 'read-only')
    await using reader = await assistant({ ...env, PHAROS_API_KEY: key }, '--write')
    assert.match(await reader.refusal('create_monitor', { name: 'a', type: 'CRON' }), /^forbidden: /)
  })

  test('notifies people only if the call says so', async () => {
    const { env, client } = await tenant()
    const page = (await client.post('/status-pages', { name: 'Status' })).body
    await using agent = await assistant(env, '--write')
    const incident = { title: 'Slow', message: 'Looking', statusPageIds: [page.id] }
    assert.equal(await agent.refusal('create_published_incident', incident), 'notify is required')
    assert.match(
      await agent.refusal('create_published_incident', { ...incident, notify: true, notifySubscribers: true }),
      /^Unknown argument notifySubscribers/,
    )
    const published = await agent.use('create_published_incident', { ...incident, notify: false })
    assert.equal(published.title, 'Slow')
    const { id } = (await client.post('/webhook-endpoints', { url: 'https://hooks.example/a' })).body
    assert.equal(await agent.refusal('test_webhook_endpoint', { endpointId: id }), 'notify is required')
    assert.match(
      await agent.refusal('test_webhook_endpoint', { endpointId: id, notify: false }),
      /^The call was not made: it always notifies people/,
    )
    assert.equal((await client.get('/webhook-deliveries')).body.pagination.total, 0)
    const contact = { name: 'A', channel: 'EMAIL', settings: { address: 'stranger@example.com' } }
    assert.equal(await agent.refusal('create_contact', contact), 'notify is required')
    assert.equal((await client.get('/contacts')).body.pagination.total, 0)
    assert.equal((await agent.use('test_webhook_endpoint', { endpointId: id, notify: true })).eventType, 'webhook.test')
  })
})

test('the official client can ping and cancel a call', async () => {
  const server = createServer()
  const received = once(server, 'request')
  await using listener = await listen(server)
  await using agent = await assistant({ PHAROS_URL: `http://127.0.0.1:${listener.port}`, PHAROS_API_KEY: 'phr_x' })
  const cancel = new AbortController()
  const call = agent.client.callTool({ name: 'list_monitors' }, undefined, { signal: cancel.signal })
  const [{ socket }] = (await received) as [IncomingMessage]
  const closed = once(socket, 'close')
  cancel.abort('enough')
  await assert.rejects(call, /enough/)
  await closed
  assert.deepEqual(await agent.client.ping(), {})
  await assert.rejects(agent.client.listPrompts(), /Method not found: prompts/)
})

test('a server that cannot be reached is an error of the tool', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`
  await using agent = await assistant({ PHAROS_URL: url, PHAROS_API_KEY: 'phr_x' })
  assert.match(await agent.refusal('list_monitors'), /^network_error: Cannot reach http:\/\/127/)
})

test('offers only the groups that are asked for', async () => {
  await using agent = await assistant({ PHAROS_API_KEY: 'phr_x' }, '--groups', 'monitors,contacts')
  const { tools } = await agent.client.listTools()
  const wanted = operations.filter(({ access, tag }) => access === 'read' && ['Monitors', 'Contacts'].includes(tag))
  assert.equal(tools.length, wanted.length)
})
