import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/contract/json-body.ts'
import { appOperations } from '../../src/server/operations/app-table.ts'
import { operations } from '../../src/server/operations/table.ts'
import { hostileToAll, hostileToFields, limitOf, requireQuickAnswer } from './hostile-bodies.ts'

const withBody = [...operations, ...appOperations].filter(({ method }) => method !== 'GET')
/** Their bodies are not parsed on the main thread: `hostile-documents.long.test.ts` and `hostile-imports.test.ts` send hostile ones. */
const readElsewhere = withBody.filter(({ document, isUpload }) => document !== undefined || isUpload === true)
const changes = withBody.filter((operation) => !readElsewhere.includes(operation))

test('every other operation is in the tables of hostile bodies', () => {
  assert.deepEqual(readElsewhere.map(({ id }) => id).sort(), ['createImport', 'importHistory', 'planConfiguration'])
})

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
