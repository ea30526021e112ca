import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { monitorStates } from '../../../src/monitoring/monitor-states/state.ts'
import {
  monitorStatus,
  type OverallStatus,
  overallStatus,
  type StatusInput,
} from '../../../src/publishing/status-pages/overall-status.ts'

/** From best to worst. */
const scale: readonly OverallStatus[] = ['OPERATIONAL', 'MAINTENANCE', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE']
const componentStatuses = ['OPERATIONAL', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'] as const
const watched = ['UP', 'DEGRADED', 'DOWN'] as const

const badness = (status: OverallStatus | null): number => (status === null ? -1 : scale.indexOf(status))

const plain = (state: StatusInput['state'], extra: Partial<StatusInput> = {}): StatusInput => ({
  state,
  inMaintenance: false,
  published: [],
  ...extra,
})

const shown: fc.Arbitrary<StatusInput> = fc.record({
  state: fc.constantFrom(...monitorStates),
  inMaintenance: fc.boolean(),
  published: fc.array(fc.constantFrom(...componentStatuses), { maxLength: 3 }),
})

const cases: readonly [what: string, monitors: readonly StatusInput[], overall: OverallStatus][] = [
  ['a page without monitors', [], 'OPERATIONAL'],
  ['everything up', [plain('UP'), plain('UP')], 'OPERATIONAL'],
  ['only paused and pending ones', [plain('PAUSED'), plain('PENDING')], 'OPERATIONAL'],
  ['all down', [plain('DOWN'), plain('DOWN')], 'MAJOR_OUTAGE'],
  ['all down that are watched', [plain('DOWN'), plain('PAUSED'), plain('PENDING')], 'MAJOR_OUTAGE'],
  ['some down', [plain('DOWN'), plain('UP')], 'PARTIAL_OUTAGE'],
  ['some down, the rest degraded', [plain('DOWN'), plain('DEGRADED')], 'PARTIAL_OUTAGE'],
  ['all degraded', [plain('DEGRADED'), plain('DEGRADED')], 'DEGRADED'],
  ['one degraded', [plain('DEGRADED'), plain('UP')], 'DEGRADED'],
  ['one in maintenance', [plain('UP', { inMaintenance: true }), plain('UP')], 'MAINTENANCE'],
  ['a failure inside maintenance', [plain('DOWN', { inMaintenance: true }), plain('UP')], 'MAINTENANCE'],
  ['a paused one in maintenance', [plain('PAUSED', { inMaintenance: true }), plain('UP')], 'MAINTENANCE'],
  ['maintenance here, slowness there', [plain('UP', { inMaintenance: true }), plain('DEGRADED')], 'DEGRADED'],
  ['maintenance here, an outage there', [plain('DOWN', { inMaintenance: true }), plain('DOWN')], 'PARTIAL_OUTAGE'],
  ['a published outage of what looks fine', [plain('UP', { published: ['MAJOR_OUTAGE'] })], 'MAJOR_OUTAGE'],
  ['a published outage of one of two', [plain('UP', { published: ['MAJOR_OUTAGE'] }), plain('UP')], 'PARTIAL_OUTAGE'],
  ['a published partial outage of all', [plain('UP', { published: ['PARTIAL_OUTAGE'] })], 'PARTIAL_OUTAGE'],
  ['published slowness', [plain('UP', { published: ['DEGRADED'] }), plain('UP')], 'DEGRADED'],
  ['a published all-clear of what is down', [plain('DOWN', { published: ['OPERATIONAL'] })], 'MAJOR_OUTAGE'],
  ['a published all-clear of what is paused', [plain('PAUSED', { published: ['OPERATIONAL'] })], 'OPERATIONAL'],
  ['a published outage of what is paused', [plain('PAUSED', { published: ['MAJOR_OUTAGE'] })], 'MAJOR_OUTAGE'],
  [
    'a published outage inside maintenance',
    [plain('UP', { inMaintenance: true, published: ['PARTIAL_OUTAGE'] })],
    'PARTIAL_OUTAGE',
  ],
  [
    'two that say different things of one',
    [plain('UP', { published: ['DEGRADED', 'PARTIAL_OUTAGE', 'OPERATIONAL'] })],
    'PARTIAL_OUTAGE',
  ],
]

for (const [what, monitors, overall] of cases) {
  test(`${what}: ${overall}`, () => assert.equal(overallStatus(monitors), overall))
}

test('neither the order of monitors nor duplicates matter', () => {
  fc.assert(
    fc.property(fc.array(shown), fc.infiniteStream(fc.nat()), (monitors, chance) => {
      const overall = overallStatus(monitors)
      const shuffled = monitors
        .map((monitor) => [chance.next().value as number, monitor] as const)
        .sort(([a], [b]) => a - b)
        .map(([, monitor]) => monitor)
      assert.equal(overallStatus(shuffled), overall)
      assert.equal(overallStatus([...monitors, ...shuffled]), overall)
    }),
  )
})

test('a worse state or published status never makes the overall status better', () => {
  const worse = fc.record({
    rest: fc.array(shown),
    one: shown,
    state: fc.constantFrom(...watched),
    worseState: fc.constantFrom(...watched),
    published: fc.constantFrom(...componentStatuses),
  })
  fc.assert(
    fc.property(worse, ({ rest, one, state, worseState, published }) => {
      fc.pre(watched.indexOf(worseState) >= watched.indexOf(state))
      const before = { ...one, state }
      const worsened = [
        { ...before, state: worseState },
        { ...before, published: [...before.published, published] },
      ]
      for (const after of worsened) {
        assert.ok(badness(overallStatus([...rest, after])) >= badness(overallStatus([...rest, before])))
        assert.ok(badness(monitorStatus(after)) >= badness(monitorStatus(before)))
      }
    }),
    { numRuns: 1_000 },
  )
})

test('monitors with an unknown status do not count', () => {
  fc.assert(
    fc.property(fc.array(shown), fc.constantFrom('PAUSED', 'PENDING'), (monitors, state) => {
      assert.equal(overallStatus([...monitors, plain(state)]), overallStatus(monitors))
    }),
  )
})

test('a page is as bad as its worst monitor, or PARTIAL_OUTAGE if not all are in outage', () => {
  fc.assert(
    fc.property(fc.array(shown, { minLength: 1 }), (monitors) => {
      const worst = Math.max(0, ...monitors.map((monitor) => badness(monitorStatus(monitor))))
      const overall = badness(overallStatus(monitors))
      const isOneStepBetter = worst === scale.length - 1 && overall === worst - 1
      assert.ok(overall === worst || isOneStepBetter)
    }),
  )
})
