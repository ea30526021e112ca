import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/lib/log.ts'
import { undoAll } from '../../src/server/start.ts'

test('a step that fails does not keep the others from running', async () => {
  const lines: string[] = []
  const log = createLog('error', { write: (line) => void lines.push(line) })
  const done: string[] = []
  const undo = [
    () => done.push('database'),
    () => Promise.reject(new Error('The listener is gone')),
    () => {
      throw new Error('The pool is gone')
    },
    async () => done.push('worker'),
  ]
  await undoAll(undo, log)
  assert.deepEqual(done, ['worker', 'database'])
  assert.deepEqual(undo, [])
  assert.equal(lines.length, 2)
})
