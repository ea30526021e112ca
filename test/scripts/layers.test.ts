import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { blank } from '../../scripts/blank.ts'
import { violations } from '../../scripts/layers.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-layers-'))
after(() => rmSync(folder, { recursive: true }))

/** What the lint says of a tree made of these files. */
function verdict(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(folder, 'tree-'))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return violations(root)
}

test('the tree of this repository keeps the rules', () => {
  const script = join(import.meta.dirname, '../../scripts/layers.ts')
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '' })
})

test('imports that point down the layers are allowed, over several layers too', () => {
  const found = verdict({
    'src/cli/main.ts': `import { app } from '../app/app.ts'\nimport { now } from '../lib/clock.ts'\nconsole.log(app, now)`,
    'src/app/app.ts': `export { create } from '../operations/table.ts'\nimport '../pages/view.ts'`,
    'src/pages/view.ts': `import '../monitors/create.ts'\nimport '../storage/db.ts'`,
    'src/operations/table.ts': `export { create } from '../monitors/create.ts'`,
    'src/monitors/create.ts': `import '../contract/error.ts'\nimport { limits } from '../plans/plans.ts'`,
    'src/plans/plans.ts': `import type { Plan } from './types.ts'`,
    'src/plans/types.ts': `export type Plan = 'FREE'`,
    'src/contract/error.ts': `import '../events/emit.ts'`,
    'src/events/emit.ts': `import '../storage/db.ts'`,
    'src/storage/db.ts': `import { now } from '../lib/clock.ts'\nimport pg from 'pg'`,
    'src/lib/clock.ts': `export const now = () => 0`,
    'src/cli/environment.ts': `export const env = process.env`,
    'test/a.test.ts': `import '../src/monitors/create.ts'\nconsole.log(process.env)`,
  })
  assert.deepEqual(found, [])
})

for (const [from, to] of [
  ['lib', 'storage'],
  ['storage', 'outbound'],
  ['outbound', 'contract'],
  ['contract', 'monitors'],
  ['keys', 'operations'],
  ['operations', 'pages'],
  ['pages', 'app'],
  ['app', 'cli'],
]) {
  test(`${from} may not import ${to}, which is above it`, () => {
    const found = verdict({ [`src/${from}/a.ts`]: `\nimport '../${to}/queries.ts'`, [`src/${to}/queries.ts`]: '' })
    assert.deepEqual(found, [`src/${from}/a.ts:2 ${from} is below ${to} and may not import it`])
  })
}

for (const statement of [
  `import type { A } from '../app/a.ts'`,
  `import {\n  a,\n} from '../app/a.ts'`,
  `export * from "../app/a.ts"`,
  `const a = await import('../app/a.ts')`,
  `type A = import('../app/a.ts').A`,
  `import '../app/a.ts'`,
]) {
  test(`an import is seen when it is written ${JSON.stringify(statement)}`, () => {
    assert.equal(verdict({ 'src/lib/b.ts': statement, 'src/app/a.ts': '' }).length, 1)
  })
}

test('an import in a comment, a string or a template is none', () => {
  const mentions = [
    `// import '../app/a.ts'`,
    `/* from '../app/a.ts' */`,
    `const a = "from '../app/a.ts'"`,
    `const b = \`\${a}import('../app/a.ts')\``,
    `const c = Array.from('../app/a.ts')`,
  ]
  assert.deepEqual(verdict({ 'src/lib/b.ts': mentions.join('\n'), 'src/app/a.ts': '' }), [])
})

test('a noun reaches another through its queries, never through its verbs', () => {
  const found = verdict({
    'src/monitors/pause.ts': `import '../incidents/queries.ts'\nimport '../incidents/resolve.ts'`,
    'src/incidents/queries.ts': '',
    'src/incidents/resolve.ts': '',
  })
  assert.deepEqual(found, [
    'src/monitors/pause.ts:2 monitors reaches incidents through queries.ts, schema.ts, plans.ts, render.ts, types.ts, ' +
      'standing.ts, memory.ts, due.ts alone, not through resolve.ts',
  ])
})

test('whoever publishes tells subscribers through their queries, and sends nothing', () => {
  const found = verdict({
    'src/publishedincidents/notify.ts': `import '../subscribers/queries.ts'\nimport '../subscribers/mailer.ts'`,
    'src/subscribers/queries.ts': `import './types.ts'`,
    'src/subscribers/types.ts': '',
    'src/subscribers/mailer.ts': `import '../outbound/mail.ts'`,
    'src/outbound/mail.ts': '',
  })
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^src\/publishedincidents\/notify\.ts:2 .* not through mailer\.ts$/)
})

test('plans imports nothing, not even what lies below it or a package', () => {
  const found = verdict({ 'src/plans/plans.ts': `import '../lib/a.ts'\nimport pg from 'pg'`, 'src/lib/a.ts': '' })
  assert.deepEqual(found, [
    'src/plans/plans.ts:1 plans imports nothing, but imports ../lib/a.ts',
    'src/plans/plans.ts:2 plans imports nothing, but imports pg',
  ])
})

test('probes may use outbound; outbound may not use probes, nor events either', () => {
  assert.deepEqual(verdict({ 'src/probes/a.ts': `import '../outbound/b.ts'`, 'src/outbound/b.ts': '' }), [])
  const found = verdict({
    'src/outbound/b.ts': `import '../probes/a.ts'\nimport '../events/c.ts'`,
    'src/probes/a.ts': '',
    'src/events/c.ts': '',
  })
  assert.deepEqual(found, [
    'src/outbound/b.ts:1 outbound stands beside probes and may not import it',
    'src/outbound/b.ts:2 outbound stands beside events and may not import it',
  ])
})

test('an unknown folder under src is refused with the place to declare it', () => {
  assert.deepEqual(verdict({ 'src/gadgets/a.ts': '' }), [
    'src/gadgets/a.ts:1 src/gadgets is unknown: declare it in the table of layers at the top of scripts/layers.ts',
  ])
})

test('a file directly under src, and an import out of src, are refused', () => {
  const found = verdict({ 'src/main.ts': '', 'src/lib/a.ts': `import '../../test/b.ts'`, 'test/b.ts': '' })
  assert.deepEqual(found, [
    'src/lib/a.ts:1 src imports nothing from test/b.ts',
    'src/main.ts:1 a file of src belongs in one of its folders',
  ])
})

for (const place of ['src/lib', 'test', 'bench', 'scripts']) {
  test(`a file of ${place} has 300 lines at most`, () => {
    assert.deepEqual(verdict({ [`${place}/long.ts`]: '// line\n'.repeat(300) }), [])
    assert.deepEqual(verdict({ [`${place}/long.ts`]: '// line\n'.repeat(301) }), [
      `${place}/long.ts:301 301 lines, 300 at most: split it`,
    ])
  })
}

test('a circle of imports is refused, one of types alone too', () => {
  const found = verdict({
    'test/a.ts': `import './b.ts'`,
    'test/b.ts': `import './c.ts'`,
    'test/c.ts': `\nimport type { B } from './b.ts'`,
    'test/d.ts': `import './c.ts'`,
  })
  assert.deepEqual(found, ['test/c.ts:2 import circle: test/b.ts → test/c.ts → test/b.ts'])
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
    assert.match(first ?? '', /^src\/lib\/other\.ts:1 the environment is read in src\/cli\/environment\.ts alone/)
    assert.deepEqual(others, [])
    assert.deepEqual(verdict({ 'src/cli/environment.ts': reading }), [])
  })
}

test('a comment may speak of process.env', () => {
  assert.deepEqual(verdict({ 'src/lib/a.ts': `// process.env is read elsewhere\nconst pid = process.pid` }), [])
})

test('the console is for src/cli', () => {
  assert.deepEqual(verdict({ 'src/cli/a.ts': `console.log(1)`, 'src/app/a.ts': `\nconsole.log(1)` }), [
    'src/app/a.ts:2 only src/cli writes to the console; log instead',
  ])
})

test('blanking a source leaves the code, in its place', () => {
  const blanked = (source: string) => blank(source).replace(/ +/g, ' ')
  assert.equal(blanked(`a // b\nc /* d\n e */ f`), 'a \nc \n f')
  assert.equal(blanked(`a('b\\'c', "d")`), `a(' ', " ")`)
  assert.equal(blanked('`a $' + '{b({ c: `d $' + '{e} f` })} g` + h'), '` b({ c: ` e ` }) ` + h')
  assert.equal(blanked(`a.replace(/['"\`/[/]]/g, b) / c / 'd'`), `a.replace( /g, b) / c / ' '`)
})
