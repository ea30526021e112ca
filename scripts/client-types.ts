/** Writes the types of the dashboard's client from the two OpenAPI documents. They are not committed: nothing runs on them. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
const documents = { 'public.d.ts': 'openapi.json', 'app.d.ts': 'openapi-app.json' }

// It does not run under this project's TypeScript, so it lives with one of its own.
const manifest = createRequire(join(root, 'tools/package.json')).resolve('openapi-typescript/package.json')
const tool = join(dirname(manifest), 'bin/cli.js')

for (const [name, file] of Object.entries(documents)) {
  const document = JSON.parse(readFileSync(join(root, file), 'utf8')) as Document
  // A field with a default may be left out of what is sent.
  const options = ['-o', join(root, 'dashboard/src/api/generated', name), '--default-non-nullable=false']
  const input = JSON.stringify(onlySuccesses(document))
  execFileSync(process.execPath, [tool, ...options], { input, stdio: ['pipe', 'ignore', 'inherit'] })
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
