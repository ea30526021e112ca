/**
 * Writes openapi.json and openapi-app.json from the tables of operations, or says whether the committed ones still agree.
 *   node scripts/openapi.ts            write
 *   node scripts/openapi.ts --check    exit 1 if one has drifted
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appOperations } from '../src/server/operations/app-table.ts'
import { appDocument } from '../src/server/operations/openapi/app-document.ts'
import { openApiDocument } from '../src/server/operations/openapi/document.ts'
import { operations } from '../src/server/operations/table.ts'

const baseUrl = 'http://localhost:3000'
const documents = {
  'openapi.json': openApiDocument(operations, baseUrl),
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
