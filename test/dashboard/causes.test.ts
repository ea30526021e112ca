import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { causeText } from '../../dashboard/src/lib/causes.ts'
import { changeFields, changeText } from '../../dashboard/src/lib/changes.ts'
import { shortTime } from '../../dashboard/src/lib/format.ts'
import { utcTimeText } from '../../src/lib/timestamp.ts'
import { evidenceFields, labelOf } from '../../src/monitoring/evidence/fields.ts'
import { unexpectedStatus } from '../../src/monitoring/monitor-types/http/unexpected-status.ts'
import { DeadlineError, socketError } from '../../src/outbound/errors.ts'
import { englishText } from '../../src/reasons/english.ts'

const at = Date.UTC(2026, 10, 18, 14, 2)

test('a cause shows times in the reader’s time zone only', () => {
  const cause = `No heartbeat since ${utcTimeText(at)} (expected by ${utcTimeText(at + 60_000)})`
  const shown = causeText(cause)
  assert.equal(shown, `No heartbeat since ${shortTime(new Date(at))} (expected by ${shortTime(new Date(at + 60_000))})`)
})

test('all reasons that probes write have translations', () => {
  const sentences = readFileSync(join(import.meta.dirname, '../../dashboard/src/lib/causes.ts'), 'utf8')
  const patterns = [...sentences.matchAll(/sentence\('(.+)'\)/g)].map(
    ([, text = '']) => new RegExp(`^${text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')}$`),
  )
  const written = [
    englishText(unexpectedStatus(503, [200, 301])),
    new DeadlineError(10_000, false).message,
    ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT', 'EOTHER'].map(
      (code) => socketError({ code }, '10.0.0.12', 5432).message,
    ),
  ]
  assert.deepEqual(
    written.filter((text) => !patterns.some((pattern) => pattern.test(text))),
    [],
  )
  assert.equal(causeText('Something new'), 'Something new')
})

test('the sentences about what changed are translated, with the values of the server', () => {
  const sentences = readFileSync(join(import.meta.dirname, '../../dashboard/src/lib/changes.ts'), 'utf8')
  const patterns = [...sentences.matchAll(/sentence\('(.+)'\)/g)].map(
    ([, text = '']) => new RegExp(`^${text.replaceAll(/\{\w+\}/g, '.+')}\\.$`),
  )
  const written = [
    ...['', ' just before', ' 10 min earlier'].flatMap((when) => [
      `Server changed from nginx/1.27 to "Apache (Unix)"${when}.`,
      `Certificate replaced: issuer changed from E5 to E6${when}.`,
      `Page text changed${when}.`,
    ]),
    'The TLS handshake took 120 ms instead of 20 ms.',
    'Only the status code changed.',
    'Nothing else changed.',
    'Nothing changed in the hour before.',
  ]
  assert.deepEqual(
    written.filter((text) => !patterns.some((pattern) => pattern.test(text))),
    [],
  )
  assert.deepEqual(written.map(changeText), written)
  const labels = evidenceFields.map((field) => [field, labelOf(field)])
  assert.deepEqual(Object.entries(changeFields).sort(), labels.sort(), 'the same names, which are translated')
})
