/**
 * Writes openapi.json from the table of operations, or says whether the committed one still agrees with it.
 *   node scripts/openapi.ts            write
 *   node scripts/openapi.ts --check    exit 1 if it has drifted
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../src/operations/openapi/document.ts'
import { operations } from '../src/operations/table.ts'

const file = join(import.meta.dirname, '../openapi.json')
const text = `${JSON.stringify(openApiDocument(operations, 'http://localhost:3000'), null, 2)}\n`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('openapi.json does not agree with the operations; run "npm run openapi" and commit it\n')
  process.exitCode = 1
}
