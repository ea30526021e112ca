import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { listen } from '../../outbound/fixtures.ts'
import { openAssistant } from './assistant-process.ts'

test('the version of the protocol is the one that the client asks for, or the newest', async () => {
  await using assistant = openAssistant()
  for (const [asked, given] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2099-01-01', '2025-11-25'],
  ]) {
    assistant.send({ id: asked, method: 'initialize', params: { protocolVersion: asked, capabilities: {} } })
    const { id, result } = await assistant.answer()
    assert.deepEqual([id, result?.protocolVersion, result?.capabilities], [asked, given, { tools: {}, prompts: {} }])
  }
})

test('requests that are wrong get the codes of JSON-RPC, and notifications no answer', async () => {
  await using assistant = openAssistant()
  const { send, write, answer } = assistant
  const cases: [request: object, code: number][] = [
    [{ id: 1, method: 'resources/list' }, -32_601],
    [{ id: 2, method: 'initialize' }, -32_602],
    [{ id: 3, method: 'tools/call', params: {} }, -32_602],
    [{ id: 4, method: 'tools/call', params: { name: 'fly' } }, -32_602],
    [{ id: 5, method: 'tools/call', params: { name: 'list_monitors', arguments: [] } }, -32_602],
    [{ id: 6, method: 'tools/call', params: { name: 'create_monitor' } }, -32_602],
    [{ id: 11, method: 'prompts/get', params: {} }, -32_602],
    [{ id: 12, method: 'prompts/get', params: { name: 'toString' } }, -32_602],
    [{ id: 13, method: 'prompts/get', params: { name: 'triage', arguments: [] } }, -32_602],
    [{ id: 14, method: 'prompts/get', params: { name: 'triage', arguments: { incident: 7 } } }, -32_602],
    [{ id: 7, method: 'ping', params: [] }, -32_602],
    [{ id: 8, method: 7 }, -32_600],
    [{ id: 9 }, -32_600],
    [{ id: 10, method: 'ping', jsonrpc: '1.0' }, -32_600],
  ]
  for (const [request, code] of cases) {
    send(request)
    const { id, error } = await answer()
    assert.deepEqual([id, error?.code], [(request as { id: number }).id, code])
  }
  for (const text of ['[]', '1', 'null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"id":{},"method":"ping"}']) {
    write(text)
    const { id, error } = await answer()
    assert.deepEqual([id, error?.code], [null, -32_600], text)
  }
  send({ method: 'notifications/initialized' })
  send({ method: 'notifications/cancelled', params: { requestId: 99 } })
  send({ method: 'notifications/cancelled', params: [] })
  send({ method: 'notifications/of-the-future' })
  // An answer to a question that was never asked.
  send({ id: 1, result: {} })
  write('')
  send({ id: 'last', method: 'ping' })
  assert.deepEqual(await answer(), { jsonrpc: '2.0', id: 'last', result: {} })
})

test('a cancelled call ends its request to the server and gets no answer; other calls go on', async () => {
  const server = createServer()
  const received = once(server, 'request')
  await using listener = await listen(server)
  await using assistant = openAssistant(`http://127.0.0.1:${listener.port}`)
  assistant.send({ id: 1, method: 'tools/call', params: { name: 'list_monitors' } })
  const [request] = (await received) as [IncomingMessage]
  const closed = once(request.socket, 'close')
  assistant.send({ id: 1, method: 'ping' })
  assert.deepEqual((await assistant.answer()).error?.code, -32_600, 'the id is in use')
  assistant.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
  await closed
  assistant.send({ id: 2, method: 'ping' })
  assert.deepEqual(await assistant.answer(), { jsonrpc: '2.0', id: 2, result: {} })
})
