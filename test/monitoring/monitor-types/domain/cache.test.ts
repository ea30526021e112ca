import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from '../../../../src/monitoring/monitor-types/domain/cache.ts'
import { readServices } from '../../../../src/monitoring/monitor-types/domain/rdap-bootstrap.ts'
import { HandClock } from '../../../support/clock.ts'

test('a full cache evicts the least recently used entry', () => {
  const cache = createCache<number>(3, new HandClock())
  for (const n of [1, 2, 3]) cache.set(`k${n}`, n, 1000)
  assert.equal(cache.get('k1'), 1)
  cache.set('k2', 22, 1000)
  cache.set('k4', 4, 1000)
  assert.deepEqual(
    ['k1', 'k2', 'k3', 'k4'].map((key) => cache.get(key)),
    [1, 22, undefined, 4],
  )
})

test('an entry expires after its lifetime', () => {
  const clock = new HandClock()
  const cache = createCache<string>(9, clock)
  cache.set('short', 'a', 10)
  cache.set('long', 'b', 20)
  clock.advance(9)
  assert.deepEqual([cache.get('short'), cache.get('long')], ['a', 'b'])
  clock.advance(1)
  assert.deepEqual([cache.get('short'), cache.get('long')], [undefined, 'b'])
})

test('invalid entries of the RDAP list are skipped, and https is preferred', () => {
  const services = readServices({
    version: '1.0',
    services: [
      [
        ['COM', 'net'],
        ['http://rdap.test/v1', 'https://rdap.test/v1/'],
      ],
      [['de'], ['http://rdap.nic.test']],
      [
        ['x', 7],
        ['ftp://rdap.test/', 9, 'not an address'],
      ],
      [['y']],
      'nonsense',
      null,
    ],
  })
  const read = Object.fromEntries([...services].map(([top, url]) => [top, url.href]))
  const verisign = 'https://rdap.test/v1/'
  assert.deepEqual(read, { com: verisign, net: verisign, de: 'http://rdap.nic.test/' })
  for (const nonsense of [null, 7, 'text', [], {}, { services: {} }]) assert.equal(readServices(nonsense).size, 0)
})
