/**
 * Writes the list of methods into clients/typescript/README.md, from the client's table of operations and openapi.json.
 *   node scripts/client-readme.ts            write
 *   node scripts/client-readme.ts --check    exit 1 if the list has drifted
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../clients/typescript/src/endpoint.ts'
import { resources } from '../clients/typescript/src/resources.ts'
import { operationAt } from '../src/cli/api/document.ts'

const file = join(import.meta.dirname, '../clients/typescript/README.md')
const START = '<!-- methods: npm run openapi -->\n'
const END = '<!-- end of methods -->\n'

const readme = readFileSync(file, 'utf8')
const renewed = withMethods(readme)
if (!process.argv.includes('--check')) writeFileSync(file, renewed)
else if (readme !== renewed) {
  process.stderr.write(
    'clients/typescript/README.md lacks methods of the client; run "npm run openapi" and commit it\n',
  )
  process.exitCode = 1
}

function withMethods(text: string): string {
  const [start, end] = [text.indexOf(START), text.indexOf(END)]
  if (start === -1 || end === -1) throw new Error(`${file} has no place for the methods`)
  const rows = Object.entries(resources).flatMap(([resource, methods]) =>
    Object.entries<Endpoint>(methods).map(([name, endpoint]) => rowOf(resource, name, endpoint)),
  )
  const table = ['| method | does | |', '|---|---|---|', ...rows, ''].join('\n')
  return `${text.slice(0, start)}${START}${table}${text.slice(end)}`
}

function rowOf(resource: string, name: string, { kind, method, path }: Endpoint): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id)
  const inputs = { list: ['query?'], find: ['query?'], send: ['body'], upload: ['blob', 'query'], get: [], act: [] }
  const input = inputs[kind]
  const { summary } = operationAt(method, path)
  const call = `${resource}.${name}(${[...ids, ...input].join(', ')})`
  return `| \`${call}\`${kind === 'list' ? ' ↻' : ''} | ${summary} | \`${method} ${path}\` |`
}
