import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CachedState, StateCache } from '../../../src/monitoring/checks/state-cache.ts'
import type { StateUpdate } from '../../../src/monitoring/monitor-states/save.ts'

/** With the prototype that objects have. */
function record<T>(model: { [Name in keyof T]: fc.Arbitrary<T[Name]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>
}

const count = fc.nat({ max: 3_600_000 })
const moment = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })

const stand: fc.Arbitrary<StateUpdate> = record({
  orgId: fc.constant('org_1'),
  num: fc.constant(7),
  revision: fc.nat(),
  standing: record({
    state: fc.constantFrom('UP', 'DEGRADED', 'DOWN'),
    last_checked_at: moment,
    last_status_changed_at: moment,
    last_response_ms: fc.option(count),
    cert_expires_at: fc.option(moment),
  }),
  memory: record({
    samples: fc.array(count, { maxLength: 5 }),
    ledger: record({
      until: moment,
      hour: moment,
      tally: record({
        ...{ upMs: count, degradedMs: count, downMs: count, pausedMs: count, maintenanceMs: count },
        ...{ checks: count, failures: count },
        responses: fc.array(count, { maxLength: 20 }),
      }),
    }),
    announced: fc.option(fc.string()),
    beats: record({
      lastSuccessAt: fc.option(moment),
      started: fc.constant({}),
      failed: fc.boolean(),
    }),
    records: fc.constant(null),
  }),
  nextCheckAt: fc.option(moment),
  openIncident: fc.option(fc.string()),
  log: fc.string(),
  newEditions: fc.constantFrom(0, 1),
})

function keptOf({ orgId, revision, fields: standing, memory, openIncident }: StateUpdate): CachedState {
  return { orgId, revision, fields: standing, memory, openIncident }
}

test('what is kept is the latest, whatever stood there before', () => {
  fc.assert(
    fc.property(fc.array(stand, { minLength: 1, maxLength: 6 }), (all) => {
      const stands = new StateCache()
      const before = structuredClone(all)
      for (const one of all) stands.set(one)
      const latest = before.at(-1) as StateUpdate
      assert.deepEqual(stands.get(7, latest.revision + 1), keptOf(latest))
      assert.deepEqual(all, before, 'nothing that was given was written over')
    }),
  )
})

test('only the revision that the kept one led to finds it', () => {
  const stands = new StateCache()
  const [one] = fc.sample(stand, 1) as [StateUpdate]
  stands.set(one)
  assert.equal(stands.get(7, one.revision), undefined)
  assert.equal(stands.get(7, one.revision + 2), undefined)
  assert.equal(stands.get(8, one.revision + 1), undefined)
  assert.notEqual(stands.get(7, one.revision + 1), undefined)
})

test('a few thousand are kept, not any number', () => {
  const stands = new StateCache()
  const [one] = fc.sample(stand, 1) as [StateUpdate]
  for (let num = 0; num <= 20_000; num += 1) stands.set({ ...one, num })
  assert.equal(stands.get(0, one.revision + 1), undefined)
  assert.notEqual(stands.get(20_000, one.revision + 1), undefined)
})
