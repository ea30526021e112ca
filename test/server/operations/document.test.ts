import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { documentFile, run } from './document-tools.ts'

test('openapi.json matches the table of operations', () => {
  const { status, output } = run(process.execPath, ['scripts/openapi.ts', '--check'])
  assert.equal(status, 0, output)
})

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(JSON.parse(readFileSync(documentFile, 'utf8')))
  assert.deepEqual(result.errors, undefined)
  assert.equal(result.valid, true)
})
