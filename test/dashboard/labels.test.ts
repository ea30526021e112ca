import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorText, faultText } from '../../dashboard/src/lib/faults.ts'
import { percent } from '../../dashboard/src/lib/format.ts'
import { loaded } from '../../dashboard/src/lib/reasons.ts'
import { faultFor, invalid } from '../../src/contract/errors.ts'
import { englishText } from '../../src/reasons/english.ts'
import { type Reason, reason } from '../../src/reasons/reason.ts'

test('faults are shown without names of fields, roles and enum values', async () => {
  await loaded
  const shown = (fault: Reason): string => errorText({ message: englishText(fault), reason: fault })
  assert.equal(
    shown(reason('role_needed', { needed: 'MEMBER', own: 'VIEWER' })),
    'This needs the role Member or higher; yours is Viewer',
  )
  assert.equal(shown(reason('after_start', { field: 'startsAt' })), 'Must be after start')
  assert.equal(
    shown(reason('not_one_of', { names: ['MAJOR_OUTAGE', 'PARTIAL_OUTAGE'] })),
    'Must be one of Major outage, Partial outage',
  )
  assert.equal(
    shown(reason('slug_in_use', { field: 'slug', slug: 'acme' })),
    'The address acme is in use; choose another one',
  )
  assert.match(shown(reason('no_mail')), /Ask its operator to set PHAROS_SMTP_URL$/)
  assert.equal(errorText({ message: 'something without a code' }), 'Something without a code')
})

test('a fault of a field that no form shows names the field in words', async () => {
  await loaded
  const details = [
    faultFor('sections.0.intervalSeconds', reason('too_small', { least: 30 })),
    faultFor('name', reason('required')),
  ]
  const { message } = invalid(details)
  assert.equal(errorText({ message, details }), 'Check interval must be at least 30 (and 1 more)')
  assert.equal(
    faultText(faultFor('endsAt', reason('after_start', { field: 'startsAt' })), 'End'),
    'End must be after start',
  )
  assert.equal(
    errorText({ message: 'The Expect header is not supported', details }),
    'The Expect header is not supported',
  )
})

test('shares have two decimals and are rounded down', () => {
  assert.deepEqual([1, 0.99999, 0.5, 0, null].map(percent), ['100%', '99.99%', '50.00%', '0.00%', '–'])
})
