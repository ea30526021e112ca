/**
 * Writes openapi.json, openapi-app.json and the list of methods in the client's README from the tables of operations, the client
 * and the command line, or says whether the committed files still agree.
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

const root = join(import.meta.dirname, '..')
const baseUrl = 'http://localhost:3000'
const README = 'clients/typescript/README.md'

const texts = {
  'openapi.json': textOf(openApiDocument(operations, baseUrl, callsOfOperations())),
  'openapi-app.json': textOf(appDocument(appOperations, baseUrl)),
  [README]: withMethods(readFileSync(join(root, README), 'utf8')),
}

for (const [name, text] of Object.entries(texts)) {
  const file = join(root, name)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${name} does not agree with the operations; run "npm run openapi" and commit it\n`)
    process.exitCode = 1
  }
}

function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

function operationOf({ method, path }: Endpoint) {
  const found = operations.find((each) => each.method === method && each.path.replace(/:(\w+)/g, '{$1}') === path)
  if (found === undefined) throw new Error(`The client calls ${method} ${path}, which is no operation`)
  return found
}

/** What a method of the client takes: the ids of the path, then what is sent. */
function argumentsOf({ kind, path }: Endpoint): string[] {
  const inputs = { list: ['query?'], find: ['query?'], send: ['body'], upload: ['blob', 'query'], get: [], act: [] }
  return [...idsIn(path), ...inputs[kind]]
}

function idsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id)
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

function callsOf(command: string, clientMethod: string, endpoint: Endpoint): [string, Calls] {
  const operation = operationOf(endpoint)
  const { kind, path } = endpoint
  // The text of a note is its `body`, so that --body is not the whole of it.
  const { properties = {} } = (operation.body ?? {}) as { properties?: object }
  const body = kind !== 'send' ? [] : ['--body', 'body' in properties ? 'TEXT' : 'JSON']
  const placeholders = idsIn(path).map((id) => optionName(id).replaceAll('-', '_').toUpperCase())
  const call = `pharos.${clientMethod}(${argumentsOf(endpoint).join(', ').replace('?', '')})`
  return [
    operation.id,
    {
      ...(kind !== 'upload' && { cli: ['pharos', command, ...placeholders, ...body].join(' ') }),
      client: kind === 'list' ? `${call}.page()` : call,
    },
  ]
}

/** The README with a table of all methods. */
function withMethods(readme: string): string {
  const place = /(<!-- methods: npm run openapi -->\n)[\s\S]*?(<!-- end of methods -->\n)/
  if (!place.test(readme)) throw new Error(`${README} has no place for the methods`)
  const rows = Object.entries(resources).flatMap(([resource, methods]) =>
    Object.entries<Endpoint>(methods).map(([name, endpoint]) => {
      const { kind, method, path } = endpoint
      const call = `\`${resource}.${name}(${argumentsOf(endpoint).join(', ')})\`${kind === 'list' ? ' ↻' : ''}`
      return `| ${call} | ${operationOf(endpoint).summary} | \`${method} ${path}\` |\n`
    }),
  )
  const table = ['| method | does | |\n', '|---|---|---|\n', ...rows].join('')
  return readme.replace(place, (_, start, end) => start + table + end)
}
