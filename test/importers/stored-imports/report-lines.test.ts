import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportedObject } from '../../../src/importers/result.ts'
import { reportLines } from '../../../src/importers/stored-imports/report-lines.ts'

const object: ImportedObject = { kind: 'monitor', sourceId: '1', name: 'Shop', outcome: 'MAPPED', losses: [] }
const noHeartbeats = () => ({ keepsAddress: false, needsNewAddress: false })

function report(objects: readonly ImportedObject[], more: { unreadable?: string[]; variables?: string[] } = {}) {
  const { head, lines } = reportLines({ document: {}, objects, unreadable: [], ...more }, noHeartbeats)
  return { ...head, lines, objects: lines.flatMap((line) => JSON.parse(line)) }
}

test('texts of an object are cut, not within a character, and further losses are counted', () => {
  const long = `${'x'.repeat(498)}😀😀`
  const losses = Array.from({ length: 60 }, () => long)
  const [one] = report([{ ...object, kind: long, sourceId: long, name: long, reason: long, losses }]).objects
  assert.deepEqual([one.kind.length, one.sourceId.length, one.name.length], [200, 200, 200])
  assert.equal(one.reason, `${'x'.repeat(498)}…`)
  assert.deepEqual(
    [one.losses.length, one.losses[0], one.losses.at(-1)],
    [51, one.reason, '10 more settings are lost.'],
  )
})

test('5,000 objects, 2 MiB, 100 sentences and 200 variables are listed; the rest is counted', () => {
  const many = report(Array.from({ length: 6_200 }, (_, i) => ({ ...object, sourceId: `${i}` })))
  assert.equal(many.objects.length, 5_000)
  assert.deepEqual(many.unreadable, ['1,200 more objects are not listed. They are imported only with all others.'])
  const large = report(Array.from({ length: 200 }, () => ({ ...object, losses: Array(50).fill('€'.repeat(500)) })))
  assert.ok(large.objects.length > 20 && large.objects.length < 30, `${large.objects.length} of 75 KB`)
  const texts = Array.from({ length: 250 }, (_, i) => `V${i}`)
  const { unreadable, variables } = report([], { unreadable: texts, variables: texts })
  assert.deepEqual([unreadable.length, variables.length], [102, 200])
  assert.deepEqual(unreadable.slice(0, 2), [
    '50 more environment variables are not listed.',
    '150 more parts of the files could not be read.',
  ])
})

test('lines have at most 64 KiB, and the head says how many objects each has', () => {
  const { lines, objectsPerLine } = report(Array.from({ length: 1_000 }, () => object))
  assert.ok(lines.length > 1)
  for (const line of lines) assert.ok(line.length < 66_000)
  assert.deepEqual(
    objectsPerLine,
    lines.map((line) => JSON.parse(line).length),
  )
})
