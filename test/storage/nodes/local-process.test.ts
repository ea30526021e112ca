import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hasEnded, processIdOf } from '../../../src/storage/nodes/local-process.ts'
import { eventually } from '../../support/eventually.ts'

const withoutProc = processIdOf(process.pid) === null && 'The system has no /proc'

test('a process is alive until it has ended', { skip: withoutProc }, async () => {
  const own = processIdOf(process.pid)
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  const id = processIdOf(child.pid as number)
  assert.ok(!hasEnded(own, own))
  assert.ok(!hasEnded(id, own))
  child.kill('SIGSTOP')
  assert.ok(!hasEnded(id, own), 'it may continue')
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.ok(hasEnded(id, own))
})

test('a process that has ended and whose parent does not ask for its exit code has ended', {
  skip: withoutProc,
}, async () => {
  const own = processIdOf(process.pid)
  // The shell becomes a program that never waits for its child.
  const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const pid = Number((await once(parent.stdout, 'data'))[0])
    const id = processIdOf(pid)
    assert.ok(!hasEnded(id, own))
    // Until then it is the shell, which may ask for the exit code.
    await eventually(async () => assert.equal(readFileSync(`/proc/${parent.pid}/comm`, 'utf8'), 'sleep\n'))
    process.kill(pid)
    await eventually(async () => assert.ok(hasEnded(id, own)))
    assert.equal(processIdOf(pid), id, 'it is a zombie')
  } finally {
    parent.kill()
  }
})

test('a number that is used again is another process', { skip: withoutProc }, () => {
  const own = processIdOf(process.pid) as string
  assert.ok(hasEnded(`${own}0`, own))
})

test('processes on other hosts and in other containers are unknown', { skip: withoutProc }, () => {
  const own = processIdOf(process.pid) as string
  const [boot, namespace, , startedAt] = own.split('/')
  const missing = 2 ** 22 + 1
  assert.ok(hasEnded(`${boot}/${namespace}/${missing}/${startedAt}`, own))
  assert.ok(!hasEnded(`another/${namespace}/${missing}/${startedAt}`, own))
  assert.ok(!hasEnded(`${boot}/1/${missing}/${startedAt}`, own))
  assert.ok(!hasEnded(null, own))
  assert.ok(!hasEnded(own, null))
})
