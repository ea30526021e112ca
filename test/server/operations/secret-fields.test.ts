import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/lib/log.ts'
import { isListed, listedFields, secrecyOf } from '../../../src/lib/secret-fields.ts'
import { channels } from '../../../src/notifications/contacts/channels/index.ts'
import { appOperations } from '../../../src/server/operations/app-table.ts'
import { operations } from '../../../src/server/operations/table.ts'

/** The names of all properties in a JSON schema. */
function* propertiesIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') yield* Object.keys(value ?? {})
    yield* propertiesIn(value)
  }
}

test('every field of every operation is listed as secret or plain', () => {
  for (const { id, params, query, body, answer } of [...operations, ...appOperations]) {
    for (const field of propertiesIn([params, query, body, answer.schema])) {
      assert.ok(isListed(field), `${id} has the field ${field}; add it to src/lib/secret-fields.ts`)
    }
  }
})

test('every listed field exists', () => {
  const schemas = [...operations, ...appOperations].map(({ params, query, body, answer }) => [
    params,
    query,
    body,
    answer,
  ])
  const settings = Object.values(channels).map(({ settingsSchema }) => settingsSchema)
  const existing = new Set(propertiesIn([schemas, settings]))
  assert.deepEqual(
    listedFields().filter((field) => !existing.has(field)),
    [],
  )
})

test('contact settings are marked as secret where the list says so', () => {
  for (const [channel, { settingsSchema }] of Object.entries(channels)) {
    for (const [field, marks] of Object.entries(settingsSchema.properties)) {
      assert.ok(isListed(field), `${channel} has the setting ${field}; add it to src/lib/secret-fields.ts`)
      const isSecret = secrecyOf(field) === 'secret' || field === 'url'
      assert.equal((marks as { secret?: boolean }).secret === true, isSecret, `${channel}.${field}`)
    }
  }
})

test('log lines mask secret fields', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.info({ password: 'planted', contact: { settings: { botToken: 'planted' } }, monitor: { requestBody: 'planted' } })
  log.info({ url: 'https://a:planted@b.example/', requestHeaders: { cookie: 'planted', accept: 'text/html' } })
  log.info({ url: 'https://planted@b.example/', err: parseError('https://a:planted@b b/') })
  assert.doesNotMatch(lines.join(''), /planted/)
  assert.match(lines.join(''), /https:\/\/\*\*\*@b\.example/)
  assert.match(lines.join(''), /text\/html/)
})

function parseError(text: string): unknown {
  try {
    return new URL(text)
  } catch (error) {
    return error
  }
}
