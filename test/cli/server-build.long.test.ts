import assert from 'node:assert/strict'
import {
  appendFileSync,
  cpSync,
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
import { startServer } from '../support/pharos-process.ts'

const root = join(import.meta.dirname, '../..')
const stack = new DisposableStack()
after(() => stack.dispose())

const copied = [
  'bin',
  'src',
  'clients/typescript/src',
  'scripts/build-server.ts',
  'package.json',
  'package-lock.json',
  'openapi.json',
]

/** A copy of this installation that is not built. */
function newInstallation({ without = '' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-installation-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of copied) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== without)) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  return {
    source: join(folder, 'src/lib/clock.ts'),
    builds: join(folder, 'dist'),
    /** Starts the server and stops it again; returns what it has printed. */
    async output(): Promise<string> {
      // Prints every module of the sources that is loaded.
      const hook = `import { registerHooks } from 'node:module'
        registerHooks({ load(url, context, next) {
          if (url.includes('/src/')) process.stderr.write('runs ' + url + '\\n')
          return next(url, context)
        } })`
      const env = {
        PHAROS_DATA_DIR: mkdtempSync(join(folder, 'data-')),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
      }
      await using server = await startServer(env, { program: join(folder, 'bin/pharos.js') })
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
      return server.output.stdout + server.output.stderr
    },
  }
}

const building = /Building the server \(first start of this version\) … /
const sources = /runs \S+\/src\/server\/start\.ts/

test('the first start builds the server; later ones run that build until a source changes', async () => {
  const { source, builds, output } = newInstallation()
  const first = await output()
  assert.match(first, new RegExp(`${building.source}done in \\d+\\.\\d s\n`))
  assert.doesNotMatch(first, sources)
  const [build = ''] = readdirSync(builds)
  const second = await output()
  assert.doesNotMatch(second, building)
  assert.doesNotMatch(second, sources)
  assert.deepEqual(readdirSync(builds), [build])

  appendFileSync(source, '\n// Changed.\n')
  assert.match(await output(), building)
  assert.equal(readdirSync(builds).length, 2)
  assert.ok(readdirSync(builds).includes(build), 'a server that is running keeps its files')

  appendFileSync(source, '\n// Changed again.\n')
  assert.match(await output(), building)
  assert.equal(readdirSync(builds).length, 2)
  assert.ok(!readdirSync(builds).includes(build))
})

test('two servers that start at the same time share a build', async () => {
  const { builds, output } = newInstallation()
  const [one, other] = await Promise.all([output(), output()])
  assert.match(one + other, building)
  assert.equal(readdirSync(builds).length, 1)
})

test('without the build tools it runs from its sources', async () => {
  const { output } = newInstallation({ without: 'rolldown' })
  const text = await output()
  assert.match(text, sources)
  assert.doesNotMatch(text, building)
})

test('if the build fails, the reason is printed and the server runs from its sources', async () => {
  const { builds, output } = newInstallation()
  writeFileSync(builds, 'a file in the place of the folder')
  const text = await output()
  assert.match(text, /failed\. The server runs from its sources, which needs more memory\.\nENOTDIR: not a directory/)
  assert.match(text, sources)
})
