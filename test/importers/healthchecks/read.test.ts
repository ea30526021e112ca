import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cronOfCalendar } from '../../../src/importers/healthchecks/calendar.ts'
import { readHealthchecks } from '../../../src/importers/healthchecks/read.ts'
import { WrongFileError } from '../../../src/importers/result.ts'
import { fileWith, fixtureJson, fixturesOf } from '../apply.ts'
import { type Expectation, expectObject, objectOf, resourceOf } from '../expected.ts'

const files = fixturesOf('healthchecks')
const expected = fixtureJson('healthchecks/expected.json')
const { checks } = fixtureJson('healthchecks/checks.json')

test('every check becomes a CRON monitor with its old address', () => {
  const result = readHealthchecks(files)
  assert.equal(result.objects.length, expected.checks.length + expected.channels.length)
  for (const one of expected.checks as (Expectation & { sourceId: string; warnings: string[] })[]) {
    const given = checks.find(({ uuid }: { uuid: string }) => uuid === one.sourceId)
    // A schedule stays a schedule. The expectation is written for periods.
    const isScheduled = given.schedule !== undefined
    const { expectedPeriodSec: _period, ...fields } = one.fields ?? {}
    const object = isScheduled
      ? expectObject(result, 'check', one.sourceId, { ...one, fields }, 'MAPPED')
      : expectObject(result, 'check', one.sourceId, one)
    const { schedule, legacyAddress } = resourceOf(result, object)
    assert.deepEqual(legacyAddress, { tool: 'HEALTHCHECKS', token: one.sourceId })
    const cron = given.schedule === 'Mon..Fri 08:00' ? '0 8 * * 1-5' : given.schedule
    assert.deepEqual(schedule, isScheduled ? { cron, timezone: given.tz } : undefined)
  }
  for (const one of expected.channels) expectObject(result, 'integration', one.sourceId, one)
  const { labels } = resourceOf(result, objectOf(result, 'check', checks[0].uuid))
  assert.deepEqual(labels, { prod: '', db: '' })
})

test('a file of a read-only key is imported, and the lost address is named', () => {
  const { uuid: _uuid, ping_url: _url, ...check } = checks[0]
  const result = readHealthchecks([fileWith({ checks: [{ ...check, unique_key: 'abc123' }] })])
  const object = objectOf(result, 'check', 'abc123')
  assert.equal(object.outcome, 'MAPPED_WITH_LOSSES')
  assert.match(object.losses.join(' '), /read-only key/)
})

test('with a ping key the old address is that of the slug', () => {
  const result = readHealthchecks([...files, fileWith({ ping_key: 'k3y' })])
  const object = objectOf(result, 'check', checks[0].uuid)
  const { legacyAddress } = resourceOf(result, object)
  assert.deepEqual(legacyAddress, { tool: 'HEALTHCHECKS', token: 'k3y/nightly-backup' })
  assert.match(object.losses.join(' '), /\/ping\/UUID does not work/)
})

test('a check with a longer period than a monitor can have arrives paused, with the reason', () => {
  const { schedule: _schedule, ...check } = checks[0]
  const read = (timeout: number) => {
    const result = readHealthchecks([fileWith({ checks: [{ ...check, timeout }] })])
    const object = objectOf(result, 'check', check.uuid)
    const { paused, expectedPeriodSec } = resourceOf(result, object)
    return { paused, expectedPeriodSec, losses: object.losses.join(' ') }
  }
  const [longest, yearly] = [read(2_592_000), read(31_536_000)]
  assert.deepEqual(longest, { paused: undefined, expectedPeriodSec: 2_592_000, losses: '' })
  assert.deepEqual([yearly.paused, yearly.expectedPeriodSec], [true, 2_592_000])
  assert.match(yearly.losses, /^The period of 365 d is longer than 30 d, .*paused.* Set a schedule and resume it\.$/)
})

test('a check whose old address can be guessed is imported without it', () => {
  const result = readHealthchecks([fileWith({ checks: [{ ...checks[0], slug: 'job' }], ping_key: 'k3y' })])
  const object = objectOf(result, 'check', checks[0].uuid)
  assert.match(object.losses.join(' '), /The old address is left out, .* The job must call the new address\.$/)
  assert.equal(resourceOf(result, object).legacyAddress, undefined)
})

test('simple calendar expressions become cron expressions, others are not supported', () => {
  const pairs = [
    ['Mon..Fri 08:00', '0 8 * * 1-5'],
    ['Sat,Sun *-*-* 04:30:00', '30 4 * * 6,0'],
    ['Fri..Sun 1:05', '5 1 * * 5-7'],
    ['*-*-01 00:00', '0 0 1 * *'],
    ['*:0/15', '*/15 * * * *'],
    ['daily', '0 0 * * *'],
  ] as const
  for (const [text, cron] of pairs) assert.equal(cronOfCalendar(text), cron)
  for (const text of ['Mon *-*-1..7 18:00', '2026-12-24 08:00', 'Mon *-*-01 04:00', '08:00:30']) {
    assert.equal(cronOfCalendar(text), undefined, text)
  }
  const [check] = checks
  const { timeout: _timeout, ...others } = check
  const result = readHealthchecks([fileWith({ checks: [{ ...others, schedule: 'Mon *-*-1..7 18:00', tz: 'UTC' }] })])
  assert.equal(objectOf(result, 'check', check.uuid).outcome, 'NOT_SUPPORTED')
})

test('another file is refused with its name', () => {
  assert.throws(() => readHealthchecks([fileWith({ monitors: [] })]), WrongFileError)
  assert.throws(() => readHealthchecks([fileWith('a: 1', 'a.yaml')]), /a\.yaml is not JSON/)
})
