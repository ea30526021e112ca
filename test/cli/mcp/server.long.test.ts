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
      const answer = JSON.parse(textOf(result)) as Record<string, unknown>
      assert.deepEqual(result.structuredContent, answer)
      return answer
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
    await using agent = await assistant(env, '--groups', 'all')
    const { tools } = await agent.client.listTools()
    const reading = operations.filter(({ access, readOnlyKeys }) => access === 'read' || readOnlyKeys === true)
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
    await using agent = await assistant(env, '--write', '--groups', 'all')
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
    await using agent = await assistant(env, '--write', '--groups', 'all')
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
  await assert.rejects(agent.client.listResources(), /Method not found: resources/)
})

test('a server that cannot be reached is an error of the tool', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`
  await using agent = await assistant({ PHAROS_URL: url, PHAROS_API_KEY: 'phr_x' })
  assert.match(await agent.refusal('list_monitors'), /^network_error: Cannot reach http:\/\/127/)
})

test('offers only the groups that are asked for, and says how others are', async () => {
  await using agent = await assistant({ PHAROS_API_KEY: 'phr_x' }, '--groups', 'monitors,contacts')
  const { tools } = await agent.client.listTools()
  const wanted = operations.filter(({ access, tag }) => access === 'read' && ['Monitors', 'Contacts'].includes(tag))
  assert.equal(tools.length, wanted.length)
  await assert.rejects(agent.client.callTool({ name: 'list_incidents' }), /with --groups default,incidents/)
  assert.match(await agent.refusal('list_monitors', { fields: ['id', 'nope'] }), /^fields has "nope", items have id, /)
})

test('a client that checks answers against their schemas accepts them, without the objects that have no value', async () => {
  const answer = { data: [{ id: 'inc_1', cause: null }], pagination: { limit: 25, offset: 0, total: 1 } }
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').setHeader('X-Request-Id', 'req_1')
    response.end(JSON.stringify(answer))
  })
  await using listener = await listen(server)
  await using agent = await assistant({ PHAROS_URL: `http://127.0.0.1:${listener.port}`, PHAROS_API_KEY: 'phr_x' })
  // The official client compiles the schemas that it has listed.
  await agent.client.listTools()
  assert.deepEqual(await agent.use('list_incidents'), { ...answer, data: [{ id: 'inc_1' }] })
})

test('the reason of an inconclusive check is in the answer', async () => {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').setHeader('X-Request-Id', 'req_1')
    response.setHeader('X-Pharos-Check', String.raw`inconclusive; reason="No \"sentinel\" can be reached"`)
    response.end('{"id":"mon_1","state":"PENDING"}')
  })
  await using listener = await listen(server)
  const env = { PHAROS_URL: `http://127.0.0.1:${listener.port}`, PHAROS_API_KEY: 'phr_x' }
  await using agent = await assistant(env, '--write')
  assert.deepEqual(await agent.use('check_monitor', { monitorId: 'mon_1' }), {
    id: 'mon_1',
    state: 'PENDING',
    inconclusive: 'No "sentinel" can be reached',
  })
})

test('prompts are offered with the tools that they use, and have the arguments of the user', async () => {
  const env = { PHAROS_API_KEY: 'phr_x' }
  await using reader = await assistant(env)
  await using writer = await assistant(env, '--write')
  await using other = await assistant(env, '--write', '--groups', 'contacts')
  const names = async ({ client }: Assistant) => (await client.listPrompts()).prompts.map(({ name }) => name)
  assert.deepEqual(await names(reader), ['triage'], 'without --write nothing can be muted')
  assert.deepEqual(await names(writer), ['triage', 'silence'])
  assert.deepEqual(await names(other), [])
  const textOf = async (name: string, given: Record<string, string>) => {
    const { messages } = await writer.client.getPrompt({ name, arguments: given })
    const [{ role, content }] = messages as [(typeof messages)[number]]
    assert.ok(role === 'user' && content.type === 'text' && messages.length === 1)
    return content.text
  }
  assert.match(await textOf('triage', {}), /get_overview/)
  assert.match(await textOf('triage', { incident: 'inc_1' }), /"inc_1"/)
  assert.match(await textOf('silence', { monitors: 'Shop', until: '2 h' }), /"Shop".*"2 h"/)
  await assert.rejects(textOf('silence', { until: '2 h' }), /monitors is required/)
  // Every tool that a prompt names exists.
  const { tools } = await writer.client.listTools()
  const used = `${await textOf('triage', {})} ${await textOf('silence', { monitors: 'x' })}`.match(
    /\b[a-z]+_[a-z_]+\b/g,
  )
  for (const tool of used ?? [])
    assert.ok(
      tools.some(({ name }) => name === tool),
      tool,
    )
})
