import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/contract/json-body.ts'
import { appOperations } from '../../src/server/operations/app-table.ts'
import { operations } from '../../src/server/operations/table.ts'
import { hostileToAll, hostileToFields, limitOf, requireQuickAnswer } from './hostile-bodies.ts'

/** Configuration documents of up to 16 MiB are parsed as a whole. */
const CONFIGURATION_BYTES = 16 * 1024 * 1024
const changes = [...operations, ...appOperations].filter(
  (operation) => operation.method !== 'GET' && limitOf(operation) < CONFIGURATION_BYTES,
)

test('no body occupies the event loop for 50 ms, whatever the operation', () => {
  const byLimit = Map.groupBy(changes, limitOf)
  assert.deepEqual([...byLimit.keys()].sort(), [16 * 1024, 2 * 1024 * 1024, 64 * 1024])
  for (const [limit, ofLimit] of byLimit) {
    for (const [name, text] of Object.entries(hostileToAll(limit))) {
      // What is refused before validation is the same for all.
      const judged = 'value' in parseJson(Buffer.from(text)) ? ofLimit : ofLimit.slice(0, 1)
      for (const operation of judged) requireQuickAnswer(operation, name, text)
    }
  }
})

for (const operation of changes) {
  test(`no value of a field of ${operation.id} occupies the event loop for 50 ms`, () => {
    for (const [name, text] of Object.entries(hostileToFields(operation))) requireQuickAnswer(operation, name, text)
  })
}
