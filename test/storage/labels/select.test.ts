import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Labels, matchesSelector, parseSelector, type Selector } from '../../../src/lib/selector.ts'
import { saveLabels } from '../../../src/monitoring/labels/save.ts'
import { labelsOf } from '../../../src/storage/labels/read.ts'
import { countSelected, selectedPage, selectMonitors } from '../../../src/storage/labels/select.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, setLabels, smallest } from '../../support/monitors.ts'

const keys = ['team', 'env', 'tier', 'zone']
const values = ['', 'a', 'b', 'a b', 'ü']

const terms = fc.oneof(
  fc.record({
    key: fc.constantFrom(...keys),
    operator: fc.constantFrom('in' as const, 'notin' as const),
    values: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key: fc.constantFrom(...keys), operator: fc.constantFrom('exists' as const, 'absent' as const) }),
)
const selectors: fc.Arbitrary<Selector> = fc.array(terms, { minLength: 1, maxLength: 4 })

forEachEngine('a selector as SQL', (engine) => {
  const api = useApi(engine)

  test('finds the monitors that the matcher finds, in order of creation, and counts them', async () => {
    const { client, orgId } = await api.tenant()
    const other = await api.tenant()
    const { database } = api.server.running
    const sets: Labels[] = fc.sample(fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values)), 40)
    for (const tenant of [client, other.client]) for (const _ of sets) await createMonitor(tenant, smallest('CRON'))
    const numsOf = (org: string) =>
      database.read(
        (function* () {
          return yield* selectedPage(yield* selectMonitors(org, parseSelector('!none')), { limit: 1_000, offset: 0 })
        })(),
      )
    const nums = await numsOf(orgId)
    const others = await numsOf(other.orgId)
    assert.equal(nums.length, 40)
    await database.write(function* () {
      yield* saveLabels(
        orgId,
        nums.map((num, i) => ({ num, before: {}, after: sets[i] as Labels })),
      )
      yield* saveLabels(
        other.orgId,
        others.map((num) => ({ num, before: {}, after: { team: 'a', env: 'b' } })),
      )
    })
    await fc.assert(
      fc.asyncProperty(selectors, fc.nat(10), async (selector, offset) => {
        const expected = nums.filter((_, i) => matchesSelector(selector, sets[i] as Labels))
        const found = await database.read(
          (function* () {
            const selection = yield* selectMonitors(orgId, selector)
            return {
              total: yield* countSelected(selection),
              all: yield* selectedPage(selection, { limit: 1_000, offset: 0 }),
              page: yield* selectedPage(selection, { limit: 5, offset }),
              atMost: selection.atMost,
            }
          })(),
        )
        assert.deepEqual(found.all, expected)
        assert.equal(found.total, expected.length)
        assert.deepEqual(found.page, expected.slice(offset, offset + 5))
        assert.ok(found.atMost === undefined || found.atMost >= expected.length)
      }),
      { numRuns: 150 },
    )
  })

  test('labels of several monitors are read at once', async () => {
    const { client, orgId } = await api.tenant()
    const { database } = api.server.running
    const { id } = await createMonitor(client, smallest('CRON'))
    await setLabels(client, id, { team: 'web', env: 'prod' })
    const [row] = await database.read(execute(q.selectFrom('monitors').select('num').where('id', '=', id)))
    const num = Number(row?.num)
    const byNum = await database.read(labelsOf(orgId, [num, 999_999_999]))
    assert.deepEqual(byNum(num), { env: 'prod', team: 'web' })
    assert.deepEqual(byNum(999_999_999), {})
  })
})
