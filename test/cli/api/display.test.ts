import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayDetails } from '../../../src/cli/api/display.ts'

test('objects in objects are readable, and sentences are not joined with commas', () => {
  const schema = { properties: { phases: { type: 'object', additionalProperties: { type: 'object' } } } }
  const evidence = {
    firstFailure: { error: 'HTTP 503', fields: { status: '503' } },
    phases: { tlsMs: { typicalMs: 8, failedMs: 3012 } },
    summary: ['The certificate was replaced.', 'Nothing else changed.'],
    hosts: ['a.example', 'b.example'],
  }
  assert.deepEqual(displayDetails(evidence, schema).split('\n'), [
    'First failure:  Error: HTTP 503, Fields: (Status: 503)',
    'Phases:         tlsMs: (Typical: 8 ms, Failed: 3012 ms)',
    'Summary:        The certificate was replaced. Nothing else changed.',
    'Hosts:          a.example, b.example',
  ])
})
