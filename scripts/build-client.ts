/** Builds clients/typescript into its `dist`: JavaScript and declarations. `npm pack` runs it. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const folder = join(import.meta.dirname, '../clients/typescript')
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

execFileSync(process.execPath, [join(import.meta.dirname, 'client-types.ts')])
rmSync(join(folder, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' })
for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) {
  // The compiler rewrites imports of .ts files in JavaScript only.
  const text = readFileSync(join(folder, file), 'utf8')
  writeFileSync(join(folder, file), text.replace(/((?:from |import\()['"]\.[^'"\n]*)\.ts(?=['"])/g, '$1.js'))
}
