import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAssistant } from '../cli/mcp/assistant-process.ts'

const MIB = 1024 * 1024

test('pharos mcp: hostile lines get an error each, are not kept in memory, and do not end the program', async () => {
  await using assistant = openAssistant()
  const lines: [line: string, code: number][] = [
    ['a'.repeat(64 * MIB), -32_600],
    [`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(4 * MIB)}"}`, -32_600],
    ['[{'.repeat(1000), -32_700],
    ['['.repeat(3 * MIB), -32_700],
    [`${'['.repeat(MIB)}${']'.repeat(MIB)}`, -32_600],
    ['GET / HTTP/1.1\r', -32_700],
    ['\u0000\u001b[2J', -32_700],
  ]
  for (const [line, code] of lines) {
    assistant.write(line)
    assert.equal((await assistant.answer()).error?.code, code, line.slice(0, 20))
  }
  assistant.send({ id: 2, method: 'ping' })
  assert.deepEqual(await assistant.answer(), { jsonrpc: '2.0', id: 2, result: {} })
})

test('pharos mcp: names of prototypes are neither methods, tools nor arguments', async () => {
  await using assistant = openAssistant()
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assistant.send({ id: 1, method: name })
    assert.equal((await assistant.answer()).error?.code, -32_601)
    assistant.send({ id: 2, method: 'tools/call', params: { name } })
    assert.equal((await assistant.answer()).error?.code, -32_602)
    assistant.write(
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_monitors","arguments":{"${name}":{"a":1}}}}`,
    )
    const { result } = await assistant.answer()
    assert.deepEqual(result?.content, [{ type: 'text', text: `Unknown argument ${name}` }])
  }
})

test('pharos mcp: a client that closes its side ends the program without an error', async () => {
  const assistant = openAssistant()
  assistant.child.stdout.destroy()
  assistant.send({ id: 1, method: 'tools/list' })
  assert.deepEqual(await assistant.ended, { code: 0, stderr: '' })
})
