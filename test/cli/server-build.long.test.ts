import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pharos, startServer } from '../support/pharos-process.ts'

const root = join(import.meta.dirname, '../..')
const stack = new DisposableStack()
after(() => stack.dispose())

const copied = [
  'bin',
  'src',
  'clients/typescript/src',
  'dashboard',
  'scripts',
  'package.json',
  'package-lock.json',
  'openapi.json',
  'openapi-app.json',
]

/** A copy of this checkout with a built dashboard. The server is not built. */
function newCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-checkout-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of copied) {
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true })
  }
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const program = join(folder, 'bin/pharos.js')
  // Prints every module of the sources that is loaded.
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (url.includes('/src/')) process.stderr.write('runs ' + url + '\\n')
      return next(url, context)
    } })`
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  }
  return {
    folder,
    program,
    env,
    source: join(folder, 'src/lib/clock.ts'),
    /** Starts the server and stops it again; returns what it has printed. */
    async output(): Promise<string> {
      const data = { PHAROS_DATA_DIR: mkdtempSync(join(folder, 'data-')) }
      await using server = await startServer({ ...env, ...data }, { program })
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
      assert.equal((await fetch(`${server.url}/setup`)).status, 200)
      return server.output.stdout + server.output.stderr
    },
  }
}

const building = /^Building the server …$/m
const sources = /runs \S+\/src\/server\/start\.ts/

test('the first start in a checkout builds the server; later ones run that build until a source changes', async () => {
  const { source, folder, program, output } = newCheckout()
  const first = await output()
  assert.match(first, building)
  assert.doesNotMatch(first, sources)
  const second = await output()
  assert.doesNotMatch(second, building)
  assert.doesNotMatch(second, sources)
  assert.deepEqual(readdirSync(join(folder, 'dist')), ['pharos'])

  appendFileSync(source, '\nthrow new Error("changed")\n')
  // Other commands run the sources.
  const { stderr } = await pharos(['orgs', 'list'], { program })
  assert.match(stderr, /changed/)
  const { code, stdout } = await pharos(['start'], { program })
  assert.match(stdout, building)
  assert.notEqual(code, 0)
})

test('two servers that start at the same time get a complete build', async () => {
  const { folder, output } = newCheckout()
  const [one, other] = await Promise.all([output(), output()])
  assert.match(one + other, building)
  assert.deepEqual(readdirSync(join(folder, 'dist')), ['pharos'])
})

test('if the build fails, the reason is printed and nothing starts', async () => {
  const { folder, program, env } = newCheckout()
  writeFileSync(join(folder, 'dist'), 'a file in the place of the folder')
  const { code, stderr, stdout } = await pharos(['start'], { program, env })
  assert.equal(code, 1)
  assert.match(stderr, /ENOTDIR|EEXIST|not a directory/i)
  assert.doesNotMatch(stdout, /Pharos is running/)
})

test('start --watch runs the sources, and again after a change of them', async () => {
  const { folder, program, env, source } = newCheckout()
  const child = spawn(process.execPath, [program, 'start', '--watch'], {
    env: { PATH: process.env.PATH, PORT: '0', PHAROS_DATA_DIR: join(folder, 'data'), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  stack.defer(() => process.kill(-(child.pid as number), 'SIGKILL'))
  let text = ''
  const starts = () => text.split('Pharos is running').length - 1
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  const until = async (count: number): Promise<void> => {
    for (let tries = 0; starts() < count; tries += 1) {
      assert.ok(tries < 600, text)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await until(1)
  assert.match(text, sources)
  appendFileSync(source, '\n// Changed.\n')
  await until(2)
  assert.ok(!existsSync(join(folder, 'dist')))
})
