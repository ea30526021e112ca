import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { lint, root, run } from './document-tools.ts'

test("the documents and the list of methods in the client's README match the tables of operations", () => {
  const { status, output } = run(process.execPath, ['scripts/openapi.ts', '--check'])
  assert.equal(status, 0, output)
})

for (const name of ['openapi.json', 'openapi-app.json']) {
  test(`${name} is valid OpenAPI 3.1`, async () => {
    const result = await new Validator().validate(JSON.parse(readFileSync(join(root, name), 'utf8')))
    assert.deepEqual([result.valid, result.errors], [true, undefined])
  })
}

test('openapi-app.json passes the lint', () => lint('openapi-app.json'))
