/** Writes the types of the two clients from the OpenAPI documents. They are not committed: nothing runs on them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

interface Response {
  readonly content?: object | undefined
}

interface Document {
  readonly components: { readonly schemas: object }
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>
}

const root = join(import.meta.dirname, '..')
const types = {
  'clients/typescript/src/generated/schema.ts': 'openapi.json',
  'dashboard/src/api/generated/public.d.ts': 'openapi.json',
  'dashboard/src/api/generated/app.d.ts': 'openapi-app.json',
}

// It does not run under this project's TypeScript, so it lives with one of its own.
const manifest = createRequire(join(root, 'tools/package.json')).resolve('openapi-typescript/package.json')
const tool = join(dirname(manifest), 'bin/cli.js')

for (const [name, file] of Object.entries(types)) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), typesOf(file))
}

function typesOf(file: string): string {
  const document = JSON.parse(readFileSync(join(root, file), 'utf8')) as Document
  // A field with a default may be left out of what is sent.
  const options = ['--default-non-nullable=false']
  const input = JSON.stringify(onlySuccesses(document))
  return execFileSync(process.execPath, [tool, ...options], { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

/**
 * The document without error responses, response headers and webhooks. The client reads none of them by type, and with them the
 * types would exceed what the linter analyses.
 */
function onlySuccesses({ components, paths, ...document }: Document): object {
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      if (operation.responses === undefined) continue
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .map(([status, { content, ...response }]) => [status, { ...response, headers: {}, content }]),
      )
    }
  }
  return { ...document, webhooks: {}, paths, components: { ...components, responses: {}, headers: {} } }
}
