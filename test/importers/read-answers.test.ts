import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBetterStack } from '../../src/importers/betterstack/read.ts'
import { readAnswers } from '../../src/importers/read-answers.ts'
import type { SourceFile } from '../../src/importers/result.ts'
import { readStatusCake } from '../../src/importers/statuscake/read.ts'
import { readUptimeRobot } from '../../src/importers/uptimerobot/read.ts'
import { fileWith, fixtureJson } from './apply.ts'

const check = (id: number, more: object = {}) => ({ kind: 'check', id, ...more })

function read(...files: readonly SourceFile[]) {
  const unreadable: string[] = []
  const found = readAnswers(files, ({ kind }) => (kind === 'check' ? kind : undefined), unreadable)
  return { ids: found.map(({ item }) => item.id), items: found.map(({ item }) => item), unreadable }
}

test('lists, pages of a list, single answers and answers by id are read', () => {
  const first = fileWith({ data: [check(2)], nextLink: 'https://api.example/2' })
  const last = fileWith({ data: [check(3)], nextLink: null })
  const answers = [fileWith([check(1)]), first, last, fileWith({ data: check(4) }), fileWith({ 5: { data: check(5) } })]
  const { ids, unreadable } = read(...answers)
  assert.deepEqual([ids, unreadable], [[1, 2, 3, 4, 5], []])
})

test('an object that several answers have is read once, with all of its fields', () => {
  const answers = [fileWith([check(1)]), fileWith({ data: check(1, { name: 'Shop' }) })]
  for (const files of [answers, answers.toReversed()]) {
    assert.deepEqual(read(...files).items, [check(1, { name: 'Shop' })])
  }
})

test('missing pages of a list are named', () => {
  const counted = 'Only 1 of 2 entries of the kind check are in the files: pages are missing.'
  const last = 'The last page of the list of the kind check is missing.'
  for (const [page, message] of [
    [{ pagination: { total: 2 } }, counted],
    [{ metadata: { total_count: 2 } }, counted],
    [{ total: 2 }, counted],
    [{ pagination: { next: 'https://api.example/2' } }, last],
    [{ nextLink: 'https://api.example/2' }, last],
  ] as const) {
    assert.deepEqual(read(fileWith({ data: [check(1)], ...page })).unreadable, [message])
  }
})

test('of damaged files what comes before the damage is read, and the rest is named', () => {
  const three = [check(1), check(2, { note: 'a "}]" b' }), check(3)]
  for (const content of [three, { data: three }, Object.fromEntries(three.map((one) => [one.id, { data: one }]))]) {
    const text = JSON.stringify(content)
    const { ids, unreadable } = read(fileWith(text.slice(0, text.lastIndexOf('check')), 'half.json'))
    assert.deepEqual(ids, [1, 2])
    assert.deepEqual(unreadable, ['half.json is damaged: only the entries before the damage are read.'])
  }
  const { ids, unreadable } = read(
    fileWith('<html>502</html>', 'error.html'),
    fileWith('', 'nothing.json'),
    fileWith('[{"kind":', 'start.json'),
    fileWith({ errors: 'Unauthorized' }, 'denied.json'),
    fileWith({ stat: 'ok', checks: [] }, 'empty.json'),
    fileWith([check(1), { surprise: true }], 'list.json'),
  )
  assert.deepEqual(ids, [1])
  assert.deepEqual(unreadable, [
    'error.html is not JSON. It is a web page.',
    'nothing.json is not JSON. It is empty.',
    'start.json is damaged, and nothing of it can be read.',
    'denied.json is not a known answer: it has the fields errors.',
    'empty.json has no entries.',
    'list.json: 1 entries have an unknown form, with the fields surprise.',
  ])
})

test('files without any object are not imported', () => {
  const files = [fileWith('<html>', 'error.html'), fileWith({ checks: [] }, 'empty.json')]
  const message = 'error.html is not JSON. It is a web page. empty.json has no entries.'
  assert.throws(() => read(...files), { name: 'WrongFileError', message })
})

test('a check of an unknown type is not supported, and its type is named', () => {
  const [monitor] = fixtureJson('betterstack/monitors.json').data
  const ofBetterStack = { ...monitor, attributes: { ...monitor.attributes, monitor_type: 'telepathy' } }
  const ofStatusCake = { id: '1', name: 'New', website_url: 'https://new.example', test_type: 'QUIC', check_rate: 60 }
  const ofUptimeRobot = { id: 1, friendly_name: 'New', url: 'https://new.example', type: 77, status: 2 }
  const reasons = [
    readBetterStack([fileWith([ofBetterStack])]),
    readStatusCake([fileWith([ofStatusCake])]),
    readUptimeRobot([fileWith([ofUptimeRobot])]),
  ].map(({ objects }) => objects.map(({ reason }) => reason))
  const types = ['telepathy', 'QUIC', '77']
  assert.deepEqual(
    reasons,
    types.map((type) => [`Pharos has no check for the type ${type}.`]),
  )
})
