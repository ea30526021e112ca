import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../../src/contract/probe.ts'
import { worseOf } from '../../../src/monitoring/probes/both-families.ts'
import { inEnglish, words } from '../../support/reasons.ts'

const up = (responseMs: number): Sample => ({ outcome: 'success', responseMs })
const down = (error: string): Sample => ({
  outcome: 'failure',
  code: 'CONNECT',
  kind: 'connection',
  error: words(error),
})
const unknown: Sample = { outcome: 'inconclusive', reason: words('This server has no route') }
const merged = (...samples: [Sample, Sample]) => inEnglish(worseOf(...samples))
const failed = (error: string) => inEnglish(down(error))

test('the worse of two samples counts', () => {
  assert.deepEqual(worseOf(up(3), up(5)), up(5))
  assert.deepEqual(worseOf(up(5), up(3)), up(5))
  const slow: Sample = { outcome: 'success', responseMs: 1, degraded: words('$.db is "slow"') }
  assert.deepEqual([worseOf(slow, up(5)), worseOf(up(5), slow)], [slow, slow])
  assert.deepEqual(merged(down('a'), down('b')), failed('IPv4 and IPv6 fail: a'))
  assert.deepEqual(merged(down('a'), up(1)), failed('IPv4 fails, IPv6 works: a'))
  assert.deepEqual(merged(down('a'), unknown), failed('IPv4 fails, IPv6 could not be checked: a'))
  assert.deepEqual(merged(unknown, down('a')), failed('IPv6 fails, IPv4 could not be checked: a'))
  const reason = 'IPv6 could not be checked: This server has no route'
  assert.deepEqual(merged(up(1), unknown), { outcome: 'inconclusive', reason })
})
