import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunProbe, Sample } from '../../../src/contract/probe.ts'
import { probeNow } from '../../../src/monitoring/checks/probe-now.ts'
import { words } from '../../support/reasons.ts'
import { targetOf } from '../monitor-types/target.ts'

test('a probe that somebody waits for knows it', async () => {
  const { signal } = new AbortController()
  const calls: Parameters<RunProbe>[] = []
  const found: Sample = { outcome: 'inconclusive', reason: words('No sockets') }
  const run: RunProbe = async (...args) => {
    calls.push(args)
    return found
  }
  const target = targetOf({ url: 'shop.test' })
  assert.equal(await probeNow(run, 'DOMAIN', target, signal), found)
  assert.deepEqual(calls, [['DOMAIN', { ...target, isManual: true }, signal]])
})
