import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { mermaid } from '../../scripts/layers/mermaid.ts'
import { readSources } from '../../scripts/layers/sources.ts'
import { violations } from '../../scripts/layers.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-layers-'))
after(() => rmSync(folder, { recursive: true }))

function verdict(files: Record<string, string>): string[] {
  return violations(tree(files))
}

function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(folder, 'tree-'))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

test('the tree of this repository keeps the rules', () => {
  const script = join(import.meta.dirname, '../../scripts/layers.ts')
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '' })
})

test('a folder may not import one above it', () => {
  const found = verdict({ 'src/lib/a.ts': `\nimport '../outbound/queries.ts'`, 'src/outbound/queries.ts': '' })
  assert.deepEqual(found, ['src/lib/a.ts:2 lib is below outbound and may not import it'])
})

test('the client imports nothing from outside, and only cli imports it', () => {
  const found = verdict({
    'clients/typescript/src/index.ts': `export * from './list.ts'\nimport '../../../src/lib/clock.ts'\nimport 'undici'`,
    'clients/typescript/src/list.ts': '',
    'src/lib/clock.ts': '',
    'src/server/start.ts': `import '../../clients/typescript/src/index.ts'`,
    'src/cli/main.ts': `import '../../clients/typescript/src/index.ts'`,
  })
  assert.deepEqual(found, [
    'clients/typescript/src/index.ts:2 the client may not import ../../../src/lib/clock.ts',
    'clients/typescript/src/index.ts:3 the client may not import undici',
    'src/server/start.ts:1 only src/cli may import clients/typescript/src/index.ts',
  ])
})

for (const statement of [
  `import type { A } from '../server/a.ts'`,
  `import {\n  a,\n} from '../server/a.ts'`,
  `export * from "../server/a.ts"`,
  `const a = await import('../server/a.ts')`,
  `type A = import('../server/a.ts').A`,
  `import '../server/a.ts'`,
]) {
  test(`an import is seen when it is written ${JSON.stringify(statement)}`, () => {
    assert.equal(verdict({ 'src/lib/b.ts': statement, 'src/server/a.ts': '' }).length, 1)
  })
}

test('an import in a comment, a string or a template is none', () => {
  const mentions = [
    `// import '../server/a.ts'`,
    `/* from '../server/a.ts' */`,
    `const a = "from '../server/a.ts'"`,
    `const b = \`\${a}import('../server/a.ts')\``,
    `const c = Array.from('../server/a.ts')`,
  ]
  assert.deepEqual(verdict({ 'src/lib/b.ts': mentions.join('\n'), 'src/server/a.ts': '' }), [])
})

test('two subfolders that import each other are refused, at any depth and for types too', () => {
  const found = verdict({
    'src/monitoring/checks/judge.ts': `import '../monitors/schema.ts'`,
    'src/monitoring/checks/due.ts': '',
    'src/monitoring/monitors/schema.ts': '',
    'src/monitoring/monitors/pause.ts': `\nimport type { Due } from '../checks/due.ts'`,
  })
  const message = 'checks, monitors of src/monitoring import each other, here'
  assert.deepEqual(found, [
    `src/monitoring/checks/judge.ts:1 ${message} src/monitoring/monitors/schema.ts`,
    `src/monitoring/monitors/pause.ts:2 ${message} src/monitoring/checks/due.ts`,
  ])
})

test('a cycle over three folders is refused', () => {
  const found = verdict({
    'src/accounts/a/one.ts': `import '../b/one.ts'`,
    'src/accounts/b/one.ts': `import '../c/one.ts'`,
    'src/accounts/c/one.ts': `import '../a/two.ts'`,
    'src/accounts/a/two.ts': '',
  })
  assert.equal(found.length, 3)
  for (const line of found) assert.match(line, /a, b, c of src\/accounts import each other/)
})

test('a file and a subfolder beside it that import each other are refused; two files beside it are not', () => {
  const files = { 'src/lib/http.ts': `import './http/parse.ts'`, 'src/lib/types.ts': '', 'src/lib/http/other.ts': '' }
  assert.deepEqual(verdict({ ...files, 'src/lib/http/parse.ts': `import '../types.ts'` }), [])
  const found = verdict({ ...files, 'src/lib/http/parse.ts': '', 'src/lib/http/other.ts': `import '../http.ts'` })
  assert.deepEqual(found.length, 2)
  assert.match(found[0] ?? '', /http, http\.ts of src\/lib import each other/)
})

test('the dashboard imports the Markdown renderer from src, and nothing else', () => {
  const files = { 'src/lib/markdown.ts': '', 'src/lib/ids.ts': '' }
  assert.deepEqual(verdict({ ...files, 'dashboard/src/a.ts': `import '../../src/lib/markdown.ts'` }), [])
  assert.deepEqual(verdict({ ...files, 'dashboard/src/a.ts': `import '../../src/lib/ids.ts'` }), [
    'dashboard/src/a.ts:1 the dashboard may not import src/lib/ids.ts: use the API',
  ])
})

test('a test file in a folder that src does not have is refused', () => {
  const tests = {
    'test/lib/a.test.ts': '',
    'test/support/b.test.ts': '',
    'test/lib/clock/c.test.ts': '',
    'src/lib/clock.ts': '',
  }
  assert.deepEqual(verdict(tests), [])
  assert.deepEqual(verdict({ ...tests, 'test/nothing/a.test.ts': '' }), [
    'test/nothing/a.test.ts:1 src/nothing does not exist: test mirrors src',
  ])
})

test('the graph lists folders and subfolders, without arrows that follow from others', () => {
  const root = tree({
    'src/server/start.ts': `import '../storage/db.ts'\nimport '../lib/clock.ts'`,
    'src/storage/db.ts': `import '../lib/clock.ts'`,
    'src/lib/clock.ts': '',
    'src/accounts/members/a.ts': `import '../users/b.ts'`,
    'src/accounts/users/b.ts': '',
  })
  const lines = ['graph TD', '  subgraph accounts', '    accounts_members[members] --> accounts_users[users]', '  end']
  lines.push('  lib', '  server', '  storage', '  server --> storage', '  storage --> lib', '')
  assert.equal(mermaid(readSources(root)), lines.join('\n'))
})

test('an unknown folder under src is refused with the place to add it', () => {
  assert.deepEqual(verdict({ 'src/gadgets/a.ts': '' }), [
    'src/gadgets/a.ts:1 src/gadgets is unknown: add it to the layers in scripts/layers.ts',
  ])
})

test('a file directly under src, and an import out of src, are refused', () => {
  const found = verdict({ 'src/main.ts': '', 'src/lib/a.ts': `import '../../test/b.ts'`, 'test/b.ts': '' })
  assert.deepEqual(found, [
    'src/lib/a.ts:1 src imports nothing from test/b.ts',
    'src/main.ts:1 a file of src belongs in one of its folders',
  ])
})

for (const reading of [
  'const port = process.env.PORT',
  'const env = process?.env',
  `const env = process['env']`,
  'const { env } = process',
  `import { env } from 'node:process'`,
  'const text = `port $' + '{process.env.PORT}`',
]) {
  test(`outside src/cli/environment.ts the environment is not read by ${reading}`, () => {
    const [first, ...others] = verdict({ 'src/lib/other.ts': reading })
    assert.match(first ?? '', /^src\/lib\/other\.ts:1 only src\/cli\/environment\.ts reads the environment/)
    assert.deepEqual(others, [])
    assert.deepEqual(verdict({ 'src/cli/environment.ts': reading }), [])
  })
}

test('process.env in a comment is allowed', () => {
  assert.deepEqual(verdict({ 'src/lib/a.ts': `// process.env is read elsewhere\nconst pid = process.pid` }), [])
})
