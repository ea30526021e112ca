import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { useApi } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { program } from '../support/pharos-process.ts'
import { closedPort } from '../support/ports.ts'
import { emptyDataDir } from '../support/sqlite.ts'

interface Run {
  readonly url?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Called with each part of the output. */
  readonly onOutput?: (child: ReturnType<typeof spawn>, output: string) => void
}

/** Runs `pharos run --monitor KEY -- COMMAND…` as a shell would; without a key, the environment has it. */
async function run(key: string, command: readonly string[], { url = '', env, stdin = '', onOutput }: Run = {}) {
  const option = key === '' ? [] : ['--monitor', key]
  const child = spawn(process.execPath, [program, 'run', ...option, '--', ...command], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, PHAROS_URL: url, ...env },
  })
  child.stdout.on('data', (chunk: Buffer) => onOutput?.(child, chunk.toString()))
  child.stdin.end(stdin)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

// One engine: how heartbeats are stored does not depend on who sends them.
describe('pharos run', () => {
  const api = useApi('sqlite')

  async function cronMonitor() {
    const { client } = await api.tenant()
    const { body } = await client.post('/monitors', { name: 'Backup', type: 'CRON' })
    const heartbeats = async () => (await client.get(`/monitors/${body.id}/heartbeats`)).body.data
    const state = async () => (await client.get(`/monitors/${body.id}`)).body.state
    return { key: body.heartbeatUrl.split('/heartbeat/')[1] as string, url: api.server.url, heartbeats, state }
  }

  test('the start, the exit code, the duration and the last 10 KB of output reach the monitor', async () => {
    const { key, url, heartbeats, state } = await cronMonitor()
    // Its own --help is an option of the command.
    const command = [
      'sh',
      '-c',
      'umask; cat; head -c 12000 /dev/zero | tr "\\0" a; echo end >&2; exit 7',
      'sh',
      '--help',
    ]
    const ended = await run(key, command, { url, stdin: 'given\n' })
    assert.equal(ended.code, 7)
    const umask = process.umask().toString(8).padStart(4, '0')
    assert.equal(ended.stdout, `${umask}\ngiven\n${'a'.repeat(12_000)}`)
    assert.equal(ended.stderr, 'end\n')
    const [end, start] = await heartbeats()
    assert.deepEqual([start.signal, end.signal, end.exitCode], ['START', 'EXIT', 7])
    assert.equal(start.rid, end.rid)
    assert.ok(end.durationMs >= 0)
    assert.equal(end.body.length, 10 * 1024)
    assert.match(end.body, /^a+end\n$/)
    assert.equal(await state(), 'DOWN')
  })

  test('a signal is passed to the command, and its end by a signal is reported as 128 and the number', async () => {
    const { key, url, heartbeats } = await cronMonitor()
    const ended = await run(key, ['sh', '-c', 'echo ready; exec sleep 60'], {
      url: `${url}/`,
      onOutput: (child) => child.kill('SIGTERM'),
    })
    assert.equal(ended.code, 128 + 15)
    const [{ exitCode, body }] = await heartbeats()
    assert.deepEqual([exitCode, body], [143, 'ready\n\nEnded by SIGTERM\n'])
  })

  test('the heartbeat URL of the environment or of a file is used, and the command gets neither', async () => {
    const { key, url, heartbeats } = await cronMonitor()
    const heartbeatUrl = `${url}/heartbeat/${key}`
    const file = join(emptyDataDir(), 'heartbeat.url')
    writeFileSync(file, `${heartbeatUrl}\n`)
    for (const env of [{ PHAROS_HEARTBEAT_URL: `${heartbeatUrl}/` }, { PHAROS_HEARTBEAT_URL_FILE: file }]) {
      const ended = await run('', ['sh', '-c', 'env'], { env: { ...env, OF_THE_JOB: 'stays' } })
      assert.deepEqual([ended.code, ended.stderr], [0, ''])
      assert.match(ended.stdout, /^OF_THE_JOB=stays$/m)
      assert.ok(!/PHAROS_HEARTBEAT_URL/.test(ended.stdout) && !ended.stdout.includes(key), ended.stdout)
    }
    assert.equal((await heartbeats()).length, 4)
  })

  test('a command that does not exist fails like in a shell, and the monitor with it', async () => {
    const { key, url, state } = await cronMonitor()
    const ended = await run(`${url}/heartbeat/${key}`, ['/no/such/program'])
    assert.equal(ended.code, 127)
    assert.match(ended.stderr, /^pharos: \/no\/such\/program cannot be run: .*ENOENT/)
    await eventually(async () => assert.equal(await state(), 'DOWN'))
  })
})

test('without a monitor, or with something else than its URL, nothing runs, and the value is not printed', async () => {
  const none = await run('', ['echo', 'ran'])
  assert.deepEqual([none.code, none.stdout], [2, ''])
  assert.match(none.stderr, /^pharos: Set PHAROS_HEARTBEAT_URL to the heartbeat URL of the monitor, or use --monitor\./)
  const partial = await run('', ['echo', 'ran'], { env: { PHAROS_HEARTBEAT_URL: 'secret-key' } })
  assert.deepEqual(
    [partial.code, partial.stdout, partial.stderr],
    [1, '', 'pharos: PHAROS_HEARTBEAT_URL must be the whole heartbeat URL of the monitor\n'],
  )
})

test('the command runs and keeps its exit code if the server is unreachable; the key is not printed', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`
  const ended = await run('secret-key', ['sh', '-c', 'echo done; exit 3'], { url })
  assert.deepEqual([ended.code, ended.stdout], [3, 'done\n'])
  assert.match(
    ended.stderr,
    /^pharos: The start of the command was not reported to http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
  )
  assert.match(ended.stderr, /\npharos: The end of the command was not reported/)
  assert.ok(!ended.stderr.includes('secret-key'))
})
