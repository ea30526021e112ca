import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeExitCode, changeText, noteOf } from '../../../src/cli/api/describe-change.ts'

const group = { name: 'monitors', resource: 'monitors' } as const

test('a change without a sentence shows all fields', () => {
  assert.equal(changeText('rename', group, { id: 'mon_1', name: 'Shop' }, {}, []), 'ID:    mon_1\nName:  Shop')
})

test('a test message that was sent says so', () => {
  const sent = { sent: true, error: null }
  assert.deepEqual([changeText('test', group, sent, {}, []), changeExitCode(sent)], ['Test message sent', 0])
})

test('headers add the reason of an inconclusive check', () => {
  const note = (headers: Record<string, string>) => noteOf(new Headers(headers))
  assert.equal(note({}), '')
  const reason = 'inconclusive; reason="Our \\"resolver\\" failed"'
  assert.equal(note({ 'x-pharos-check': reason }), '\nThe check was inconclusive: Our "resolver" failed')
  assert.equal(note({ 'x-pharos-check': 'inconclusive' }), '\nThe check was inconclusive')
})
