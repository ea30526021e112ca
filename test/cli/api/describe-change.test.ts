import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeExitCode, changeText, noteOf } from '../../../src/cli/api/describe-change.ts'
import { groups } from '../../../src/cli/api/groups.ts'

const [monitors] = groups

test('a change is one sentence and the fields worth knowing', () => {
  assert.ok(monitors)
  const schema = { properties: { state: { enum: ['UP'] } } }
  assert.equal(
    changeText('check', monitors, { id: 'mon_1', name: 'Shop', state: 'UP' }, schema),
    'Checked Shop (mon_1)\nState:  Up',
  )
  assert.equal(changeText('delete', monitors, { data: { id: 'mon_1' } }, {}), 'Deleted mon_1')
})

test('a change without a sentence shows all fields', () => {
  assert.ok(monitors)
  assert.equal(changeText('rename', monitors, { id: 'mon_1', name: 'Shop' }, {}), 'ID:    mon_1\nName:  Shop')
})

test('a test message says whether it was sent, and why not', () => {
  const contacts = groups.find(({ name }) => name === 'contacts')
  assert.ok(contacts)
  const [sent, refused] = [
    { sent: true, error: null },
    { sent: false, error: 'HTTP 404' },
  ]
  assert.deepEqual([changeText('test', contacts, sent, {}), changeExitCode(sent)], ['Test message sent', 0])
  const failure = [changeText('test', contacts, refused, {}), changeExitCode(refused)]
  assert.deepEqual(failure, ['Test message not sent: HTTP 404', 1])
})

test('headers add the reason of an inconclusive check and a replay', () => {
  const note = (headers: Record<string, string>) => noteOf(new Headers(headers))
  assert.equal(note({}), '')
  const reason = 'inconclusive; reason="Our \\"resolver\\" failed"'
  assert.equal(note({ 'x-pharos-check': reason }), '\nThe check was inconclusive: Our "resolver" failed')
  assert.equal(note({ 'x-pharos-check': 'inconclusive' }), '\nThe check was inconclusive')
  assert.match(note({ 'idempotency-replayed': 'true' }), /^\nNothing was changed: the idempotency key was used before/)
})
