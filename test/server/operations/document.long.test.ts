import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lint, root, run, tool } from './document-tools.ts'

test('openapi.json passes the lint', () => lint('openapi.json'))

test('a generated typed client compiles and rejects invalid calls', () => {
  const folder = mkdtempSync(join(root, 'tools/.client-'))
  try {
    const types = run(process.execPath, [
      tool('openapi-typescript'),
      'openapi.json',
      '-o',
      join(folder, 'api.d.ts'),
      '--default-non-nullable=false',
    ])
    assert.equal(types.status, 0, types.output)
    const calls = {
      right: `client.POST('/api/v1/monitors', { body: { name: 'Shop', type: 'HTTP', url: 'https://a.example' } })`,
      wrong: `client.POST('/api/v1/monitors', { body: { name: 'Shop', type: 'CARRIER_PIGEON' } })`,
      incomplete: `client.POST('/api/v1/monitors', { body: { name: 'Shop', type: 'HTTP' } })`,
    }
    for (const [name, call] of Object.entries(calls)) writeFileSync(join(folder, `${name}.mts`), clientWith(call))
    const files = Object.keys(calls).map((name) => join(folder, `${name}.mts`))
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext']
    const { output } = run(process.execPath, [tool('tsc'), ...options, '--lib', 'esnext,dom', ...files])
    const errors = output.match(/^.*error TS\d+/gm) ?? []
    assert.ok(
      errors.every((error) => /(wrong|incomplete)\.mts/.test(error)),
      output,
    )
    assert.match(output, /wrong\.mts.*CARRIER_PIGEON/)
    assert.match(output, /incomplete\.mts(?:.*\n\s+)*.*Property 'url' is missing/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function clientWith(call: string): string {
  return `
import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'
const client = createClient<paths>({ baseUrl: 'http://localhost:3000' })
const { data, error } = await ${call}
if (data !== undefined) { const id: string = data.id; const state: 'PENDING' | 'UP' | 'DEGRADED' | 'DOWN' | 'PAUSED' = data.state; void [id, state] }
if (error !== undefined) { const path: string | undefined = error.error.details?.[0]?.path; void path }
export {}
`
}
