import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validator } from '../../src/contract/validate.ts'
import { CreateMonitor } from '../../src/monitoring/monitor-settings/schema.ts'

const validate = validator(CreateMonitor, 'body')

function pathsOf(input: unknown): string[] {
  const result = validate(input)
  return 'faults' in result ? result.faults.map((fault) => fault.path).sort() : []
}

test('faults of schema and text are reported together', () => {
  assert.deepEqual(pathsOf({ name: 'a\0', type: 'HTTP', port: 'x', keyword: '\ud800' }), ['keyword', 'name', 'port'])
})

test('a field with several faults is reported once', () => {
  assert.deepEqual(pathsOf({ name: `${'x'.repeat(200)}\0`, type: 'CRON' }), ['name'])
  assert.deepEqual(pathsOf('\0'), ['body'])
})

test('deeply nested input is refused without a stack overflow', () => {
  let deep: unknown[] = []
  for (let i = 0; i < 200_000; i += 1) deep = [deep]
  assert.deepEqual(pathsOf({ name: 'deep', type: 'CRON', deep }), ['deep'])
})
