import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { PharosError } from '../../../clients/typescript/src/index.ts'
import { fittedLine, watch } from '../../../src/cli/api/watch.ts'
import { useApi } from '../../support/api.ts'
import { program } from '../../support/pharos-process.ts'

describe('--watch', () => {
  const api = useApi('sqlite')

  async function start() {
    const { key, client } = await api.tenant()
    const args = [program, 'monitors', 'list', '--watch', '--every', '1', '--json']
    const env = { PATH: process.env.PATH, PHAROS_URL: api.server.url, PHAROS_API_KEY: key }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async () => JSON.parse(String((await lines.next()).value))
    return { child, client, next, closed: once(child, 'close') }
  }

  test('prints one line of JSON for each item that is new, changed or gone until it is interrupted', async () => {
    const { child, client, next, closed } = await start()
    try {
      const { id } = (await client.post('/monitors', { name: 'New', type: 'CRON' })).body
      assert.equal((await next()).id, id)
      const other = (await client.post('/monitors', { name: 'Other', type: 'CRON' })).body
      assert.equal((await next()).id, other.id)
      await client.patch(`/monitors/${id}`, { name: 'Changed' })
      assert.deepEqual((({ id, name }) => [id, name])(await next()), [id, 'Changed'])
      await client.delete(`/monitors/${id}`)
      assert.deepEqual(await next(), { id, removed: true })
    } finally {
      child.kill('SIGINT')
    }
    assert.deepEqual(await closed, [0, null])
  })

  test('ends when nobody reads its output any more', async () => {
    const { child, client, next, closed } = await start()
    try {
      await client.post('/monitors', { name: 'First', type: 'CRON' })
      assert.equal((await next()).name, 'First')
      child.stdout.destroy()
      await client.post('/monitors', { name: 'New', type: 'CRON' })
      assert.deepEqual(await closed, [0, null])
    } finally {
      child.kill('SIGKILL')
    }
  })
})

interface Script {
  readonly isTTY?: boolean
  readonly isJson?: boolean
  readonly warnings?: string[]
  readonly readings: readonly (string | Error)[]
}

/** What is written for these readings, until they end. */
async function written({ isTTY = false, isJson = false, warnings = [], readings }: Script): Promise<string[]> {
  const ending = new AbortController()
  const output: string[] = []
  const rest = [...readings]
  const read = async () => {
    const next = rest.shift()
    if (next === undefined) ending.abort()
    ending.signal.throwIfAborted()
    if (next instanceof Error) throw next
    return { text: String(next), json: { data: [{ id: 'x', text: next }] } }
  }
  const screen = { isTTY, columns: 60, rows: 10, write: (text: string) => output.push(text) }
  const warn = (text: string) => warnings.push(text)
  const paint = (text: string) => text
  await watch(read, { title: 'pharos x list', everySeconds: 0.001, isJson, paint, signal: ending.signal, screen, warn })
  return output
}

test('a terminal is redrawn in place', async () => {
  const output = await written({ isTTY: true, readings: ['one\ntwo', 'one'] })
  assert.equal(output.length, 2)
  for (const text of output) {
    assert.ok(text.startsWith('\u001b[Hpharos x list, every 0.001 s ('))
    assert.ok(text.includes('). Ctrl+C ends.\u001b[K\n'))
  }
  assert.ok(output[1]?.endsWith('\none\u001b[K\n\u001b[J'))
})

test('elsewhere only changes are printed', async () => {
  assert.deepEqual(await written({ isTTY: false, readings: ['a', 'a', 'b'] }), ['a\n', 'b\n'])
})

test('a failure that may pass is shown with the last report; others end the watch', async () => {
  const down = new PharosError('network_error', 'Cannot reach it')
  assert.deepEqual(await written({ isTTY: false, readings: ['a', down, 'a'] }), [
    'a\n',
    'a\nCannot reach it. Trying again.\n',
    'a\n',
  ])
  await assert.rejects(written({ isTTY: false, readings: [down] }), down)
  const revoked = new PharosError('unauthorized', 'Revoked', {
    response: { status: 401, headers: new Headers(), text: '' },
  })
  await assert.rejects(written({ isTTY: false, readings: ['a', revoked] }), revoked)
})

test('with --json a failure is a warning, and only changes are printed', async () => {
  const down = new PharosError('network_error', 'Cannot reach it')
  const warnings: string[] = []
  const output = await written({ isJson: true, warnings, readings: ['a', down, down, 'a', 'b'] })
  assert.deepEqual(output, ['{"id":"x","text":"a"}\n', '{"id":"x","text":"b"}\n'])
  assert.deepEqual(warnings, Array(2).fill('Cannot reach it. Trying again.'))
})

test('lines are cut at the width of the terminal', () => {
  assert.equal(fittedLine('x'.repeat(30), 25), `${'x'.repeat(24)}…`)
  assert.equal(fittedLine('x'.repeat(25), 25), 'x'.repeat(25))
  assert.equal(fittedLine('x'.repeat(30), undefined), 'x'.repeat(30))
  // Each of these characters takes two columns.
  assert.equal(fittedLine('监'.repeat(15), 25), `${'监'.repeat(12)}…`)
  assert.equal(fittedLine('监'.repeat(12), 25), '监'.repeat(12))
})
