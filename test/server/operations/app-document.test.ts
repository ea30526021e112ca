import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { appOperations } from '../../../src/server/operations/app-table.ts'
import { appDocument } from '../../../src/server/operations/openapi/app-document.ts'
import { operations } from '../../../src/server/operations/table.ts'

const root = join(import.meta.dirname, '../../..')
const committed = readFileSync(join(root, 'openapi-app.json'), 'utf8')

test('openapi-app.json matches the table of operations', () => {
  const given = `${JSON.stringify(appDocument(appOperations, 'http://localhost:3000'), null, 2)}\n`
  assert.ok(given === committed, 'run "npm run openapi" and commit openapi-app.json')
})

test('openapi-app.json is valid OpenAPI 3.1 and passes the lint', async () => {
  const result = await new Validator().validate(JSON.parse(committed))
  assert.deepEqual([result.valid, result.errors], [true, undefined])
  const own = join(root, 'tools/node_modules/.bin/redocly')
  const tool = existsSync(own) ? own : join(root, 'node_modules/.bin/redocly')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tool, 'lint', 'openapi-app.json', '--config', 'tools/redocly.yaml'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    },
  )
  assert.equal(status, 0, stdout + stderr)
  assert.doesNotMatch(stdout + stderr, /warning/i)
})

test('operation ids are unique across both tables', () => {
  const ids = [...appOperations, ...operations].map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})
