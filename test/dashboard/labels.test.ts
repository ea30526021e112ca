import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percent } from '../../dashboard/src/lib/format.ts'
import { readableError, readableMessage } from '../../dashboard/src/lib/labels.ts'

test('messages of the API are shown without names of fields, roles and enum values', () => {
  const shown: Readonly<Record<string, string>> = {
    'This needs the role MEMBER or higher; yours is VIEWER':
      'You need the Member role for this. You have the Viewer role; ask an admin to change it.',
    'must be after startsAt': 'Must be after start',
    'must be one of MAJOR_OUTAGE, PARTIAL_OUTAGE': 'Must be one of Major outage, Partial outage',
    'The slug acme is in use; choose another one': 'The address acme is in use; choose another one',
    'Ask its operator to set PHAROS_SMTP_URL': 'Ask its operator to set PHAROS_SMTP_URL',
    'HTTP 503 Service Unavailable': 'HTTP 503 Service Unavailable',
  }
  for (const [message, expected] of Object.entries(shown)) assert.equal(readableMessage(message), expected)
})

test('a fault of a field that no form shows names the field in words', () => {
  const details = [{ path: 'sections.0.intervalSeconds', message: 'must be at least 30' }]
  assert.equal(
    readableError('sections.0.intervalSeconds must be at least 30', details),
    'Check interval must be at least 30',
  )
  assert.equal(readableError('The Expect header is not supported', details), 'The Expect header is not supported')
})

test('shares have two decimals and are rounded down', () => {
  assert.deepEqual([1, 0.99999, 0.5, 0, null].map(percent), ['100%', '99.99%', '50.00%', '0.00%', '–'])
})
