/** Writes the types of the dashboard's client from the two OpenAPI documents. They are not committed: nothing runs on them. */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const documents = { 'public.d.ts': 'openapi.json', 'app.d.ts': 'openapi-app.json' }

// It does not run under this project's TypeScript, so it lives with one of its own.
const manifest = createRequire(join(root, 'tools/package.json')).resolve('openapi-typescript/package.json')
const tool = join(dirname(manifest), 'bin/cli.js')

for (const [name, document] of Object.entries(documents)) {
  const file = join(root, 'dashboard/src/api/generated', name)
  // A field with a default may be left out of what is sent.
  const options = ['-o', file, '--default-non-nullable=false']
  execFileSync(process.execPath, [tool, join(root, document), ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
}
