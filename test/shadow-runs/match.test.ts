import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchMonitors } from '../../src/shadow-runs/match.ts'
import type { TheirMonitor } from '../../src/shadow-runs/verdicts.ts'
import { slowness, threadCpuMs } from '../support/cpu-time.ts'

const our = (num: number, name: string, key: string, address: string | null = null) => ({
  num,
  name,
  key,
  address,
})
const their = (name: string, more: Partial<TheirMonitor> = {}): TheirMonitor => ({ name, state: 'UP', ...more })

function matched(ours: readonly ReturnType<typeof our>[], theirs: readonly TheirMonitor[]) {
  const found = matchMonitors(ours, theirs)
  return {
    pairs: [...found.matched].map(([num, monitor]) => [num, monitor.id ?? monitor.address ?? monitor.name]),
    there: found.onlyThere.map(({ name }) => name),
    here: ours.filter(({ num }) => !found.matched.has(num)).map(({ name }) => name),
  }
}

test('monitors are matched by name, and those with the same name by id or address', () => {
  const ours = [
    our(1, 'Shop', 'shop-1'),
    our(2, 'API', 'api-2', 'https://a.example/'),
    our(3, 'API', 'api-3', 'https://b.example'),
  ]
  const byId = [their('API', { id: '3' }), their('Shop', { id: '1' }), their('API', { id: '2' })]
  assert.deepEqual(matched(ours, byId).pairs, [
    [1, '1'],
    [2, '2'],
    [3, '3'],
  ])
  const byAddress = [
    their('API', { address: 'https://B.example/' }),
    their('Shop'),
    their('API', { address: 'https://a.example' }),
  ]
  assert.deepEqual(matched(ours, byAddress).pairs, [
    [1, 'Shop'],
    [2, 'https://a.example'],
    [3, 'https://B.example/'],
  ])
})

test('a monitor that was renamed is found by its address, and what only one side has is listed', () => {
  const ours = [our(1, 'Web shop', 'shop-1', 'https://shop.example'), our(2, 'New', 'new-9', 'https://new.example')]
  const theirs = [their('Shop', { id: '1', address: 'https://shop.example/' }), their('Printer')]
  assert.deepEqual(matched(ours, theirs), { pairs: [[1, '1']], there: ['Printer'], here: ['New'] })
})

test('endpoints of Gatus with the same name are matched by their groups', () => {
  const ours = [our(1, 'health', 'core-health'), our(2, 'health', 'edge-health')]
  const theirs = [their('health', { id: 'edge_health' }), their('health', { id: 'core_health' })]
  assert.deepEqual(matched(ours, theirs).pairs, [
    [1, 'core_health'],
    [2, 'edge_health'],
  ])
})

test('two that cannot be told apart are not guessed', () => {
  const ours = [our(1, 'API', 'api-a'), our(2, 'API', 'api-b')]
  assert.deepEqual(matched(ours, [their('API'), their('API')]).pairs, [])
})

const hostile: Readonly<Record<string, (i: number) => TheirMonitor>> = {
  'the same name, id and address': () => their('API', { id: 'x', address: 'https://x.example' }),
  'names that begin with each other': (i) => their('A'.repeat(1 + (i % 200)), { id: `${i}` }),
  'addresses with slashes in the middle': (i) => their('API', { address: `${'/'.repeat(2_040)}${i}` }),
  'ids without letters': (i) => their('API', { id: '-'.repeat(200), address: `${i}` }),
}

for (const [name, one] of Object.entries(hostile)) {
  test(`10,000 monitors with ${name} are matched in linear time`, () => {
    const ours = Array.from({ length: 10_000 }, (_, i) => our(i, 'API', `api-${i}`, `https://shop.example/${i}`))
    const theirs = Array.from({ length: 10_000 }, (_, i) => one(i))
    const before = threadCpuMs()
    matchMonitors(ours, theirs)
    const tookMs = threadCpuMs() - before
    assert.ok(tookMs / slowness() < 500, `${tookMs} ms`)
  })
}
