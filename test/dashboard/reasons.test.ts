import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortTime } from '../../dashboard/src/lib/format.ts'
import { loaded, sentenceOf, sentencesOf, words } from '../../dashboard/src/lib/reasons.ts'
import { reasonField, reasonsField, toJson } from '../../src/contract/reason-fields.ts'
import { evidenceFields } from '../../src/monitoring/evidence/fields.ts'
import { en } from '../../src/reasons/en.ts'
import { reason } from '../../src/reasons/reason.ts'
import type { Caller } from '../../src/storage/database.ts'

const at = '2026-11-18T14:02:00.000Z'
const deadline = '2026-11-18T14:03:00.000Z'
const missed = reason('heartbeat_missed', { last: at, deadline })
const key = { keyId: 'key_1' } as Caller
const user = { userId: 'usr_1' } as Caller

test('a cause has its code in the dashboard’s API only, and its sentence in both', () => {
  const answer = { ...reasonField('cause', missed), ...reasonsField('summary', [reason('nothing_else_changed')]) }
  const cause = 'No heartbeat since Nov 18, 2026, 2:02 PM UTC (expected by Nov 18, 2026, 2:03 PM UTC)'
  const summary = ['Nothing else changed.']
  assert.deepEqual(JSON.parse(toJson(answer, key)), { cause, summary })
  assert.deepEqual(JSON.parse(JSON.stringify(answer)), { cause, summary }, 'also in webhook events')
  assert.deepEqual(JSON.parse(toJson(answer, user)), {
    cause,
    causeReason: missed,
    summary,
    summaryReasons: [{ code: 'nothing_else_changed', values: {} }],
  })
})

test('the dashboard shows times in the reader’s time zone, and an old sentence as it is', async () => {
  await loaded
  const answer = JSON.parse(toJson(reasonField('cause', missed), user))
  const [last, by] = [shortTime(at), shortTime(deadline)]
  assert.equal(sentenceOf(answer, 'cause'), `No heartbeat since ${last} (expected by ${by})`)
  assert.equal(sentenceOf({ cause: 'Something old' }, 'cause'), 'Something old')
  assert.equal(sentenceOf({ cause: null }, 'cause'), null)
  assert.deepEqual(sentencesOf({ summary: ['Something old.'] }, 'summary'), ['Something old.'])
})

test('everything that can change before an incident has a name', async () => {
  await loaded
  assert.deepEqual(
    evidenceFields.filter((field) => !(`field_${field}` in en)),
    [],
  )
  assert.equal(words('field_server', 'server'), 'Server')
})
