import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { channelNames, channels } from '../../../src/notifications/contacts/channels/index.ts'
import { settingsSchemaOf } from '../../../src/notifications/contacts/settings-schema.ts'

interface JsonSchemaValidator {
  compile(schema: object): (value: unknown) => boolean
}

/** The validator of another tool, with its default options: an unknown keyword or format is an error. */
const { default: Ajv } = createRequire(createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator'))(
  'ajv',
) as { default: new () => JsonSchemaValidator }

test('the settings of every channel are a JSON Schema that a default validator accepts', () => {
  for (const name of channelNames) {
    const schema = JSON.parse(JSON.stringify(settingsSchemaOf(name)))
    const isValid = new Ajv().compile(schema)
    assert.equal(isValid({}), false, name)
    assert.deepEqual(Object.keys(schema.properties), Object.keys(channels[name].settingsSchema.properties))
  }
})

test('the schema has the rules of the server', () => {
  const isValid = new Ajv().compile(settingsSchemaOf('WEBHOOK'))
  const url = 'https://hooks.example/a?b'
  assert.ok(isValid({ url, headerName: 'X-Team', headerValue: 'pay' }))
  for (const settings of [{ url: 'set' }, { url: 'x' }, { url: 'https://a@b.example' }, { url, headerName: 'HOST' }]) {
    assert.equal(isValid(settings), false, JSON.stringify(settings))
  }
})
