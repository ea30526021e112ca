/**
 * Writes openapi.json and openapi-app.json from the tables of operations, the client and the command line, or says whether the
 * committed files still agree.
 *   node scripts/openapi.ts            write
 *   node scripts/openapi.ts --check    exit 1 if one has drifted
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../clients/typescript/src/endpoint.ts'
import { resources } from '../clients/typescript/src/resources.ts'
import { groups } from '../src/cli/api/groups.ts'
import { optionName } from '../src/cli/api/schema.ts'
import { appOperations } from '../src/server/operations/app-table.ts'
import { appDocument } from '../src/server/operations/openapi/app-document.ts'
import { type Calls, openApiDocument } from '../src/server/operations/openapi/document.ts'
import { operations } from '../src/server/operations/table.ts'

const baseUrl = 'http://localhost:3000'
const documents = {
  'openapi.json': openApiDocument(operations, baseUrl, callsOfOperations()),
  'openapi-app.json': appDocument(appOperations, baseUrl),
}

for (const [name, document] of Object.entries(documents)) {
  const file = join(import.meta.dirname, '..', name)
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${name} does not agree with the operations; run "npm run openapi" and commit it\n`)
    process.exitCode = 1
  }
}

/** By the ID of the operation. */
function callsOfOperations(): Record<string, Calls> {
  const calls = groups.flatMap(({ name, resource, isOneCommand }) =>
    Object.entries<Endpoint>(resources[resource]).map(([method, endpoint]) => {
      const command = isOneCommand === true ? name : `${name} ${optionName(method)}`
      return callsOf(command, `${resource}.${method}`, endpoint)
    }),
  )
  return Object.fromEntries(calls)
}

function callsOf(command: string, clientMethod: string, { kind, method, path }: Endpoint): [string, Calls] {
  const operation = operations.find((each) => each.method === method && each.path.replace(/:(\w+)/g, '{$1}') === path)
  if (operation === undefined) throw new Error(`The client calls ${method} ${path}, which is no operation`)
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id)
  const inputs = { list: ['query'], find: ['query'], send: ['body'], upload: ['blob', 'query'], get: [], act: [] }
  const input = inputs[kind]
  // The text of a note is its `body`, so that --body is not the whole of it.
  const { properties = {} } = (operation.body ?? {}) as { properties?: object }
  const body = kind !== 'send' ? [] : ['--body', 'body' in properties ? 'TEXT' : 'JSON']
  const placeholders = ids.map((id) => optionName(id).replaceAll('-', '_').toUpperCase())
  const call = `pharos.${clientMethod}(${[...ids, ...input].join(', ')})`
  return [
    operation.id,
    {
      ...(kind !== 'upload' && { cli: ['pharos', command, ...placeholders, ...body].join(' ') }),
      client: kind === 'list' ? `${call}.page()` : call,
    },
  ]
}
