import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { stage } from '../../scripts/build/stage.ts'
import { packNpm, packTar } from '../../scripts/packages/archives.ts'
import { writeSbom } from '../../scripts/packages/sbom.ts'
import { assertFilled } from '../storage/saved-databases/content.ts'
import { freePort } from '../support/ports.ts'
import { otherNode, skipWithout } from '../support/programs.ts'
import { assertMonitors, settings, startPackaged, writeSavedDatabase } from './packaged-server.ts'

const staged = join(import.meta.dirname, '../../dist/pharos')
const arch = process.arch as 'x64' | 'arm64'
const { version } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'pharos-packages-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function newFolder(name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Without any Node on the path. */
const systemPath = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter)

const source = { staged, version, arch, target: newFolder('packages') }
const tgz = packNpm(source)
const tar = packTar(source)

test('the folder has at most 175 MB, and its archive at most 60', () => {
  const files = readdirSync(staged, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  assert.ok(bytes < 175e6, `${bytes} bytes`)
  assert.ok(statSync(tar).size < 60e6, `${statSync(tar).size} bytes`)
})

test('a second build gives the same bytes', async () => {
  const again = join(folder, 'staged')
  await stage(again, arch)
  const second = { ...source, staged: again, target: newFolder('again') }
  assert.equal(sumOf(packTar(second)), sumOf(tar))
  assert.equal(sumOf(writeSbom(second)), sumOf(writeSbom(source)))
})

test('the bill of materials lists what is shipped: packages of the server and of the dashboard, and Node', () => {
  const { components } = JSON.parse(readFileSync(writeSbom(source), 'utf8'))
  const names = components.map(({ name }: { name: string }) => name)
  for (const name of ['fastify', 'preact', `node-linux-${arch}`]) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('typescript'))
})

test('completion files and the documents that help texts name are in the package', () => {
  const completions = ['bash-completion/completions/pharos', 'zsh/site-functions/_pharos']
  for (const file of [...completions, 'fish/vendor_completions.d/pharos.fish']) {
    assert.match(readFileSync(join(staged, 'share', file), 'utf8'), /^(#compdef pharos\n)?# Completion of pharos for /)
  }
  const named = [...new Set(readFileSync(join(staged, 'server/main.mjs'), 'utf8').match(/\bdocs\/[\w-]+\.md\b/g))]
  for (const file of ['docs/configuration.md', 'docs/mcp.md', ...named]) assert.ok(existsSync(join(staged, file)), file)
})

const hasGroff = spawnSync('groff', ['--version']).status === 0

test('the man page has no faults', { skip: skipWithout(hasGroff, 'groff') }, () => {
  const man = join(staged, 'share/man/man1/pharos.1')
  const { stdout, stderr } = spawnSync('groff', ['-ww', '-man', '-Tutf8', man], { encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.match(stdout, /monitors\s+Create, change, check and list monitors/)
})

test('tar: unpacked, it runs without npm or Node, keeps data of the baseline, and is small in memory', async (t) => {
  const place = newFolder('tar')
  execFileSync('tar', ['-xzf', tar, '-C', place, '--strip-components=1'])
  const port = await freePort()
  const env = { PATH: systemPath, PORT: `${port}`, ...settings }
  {
    await using server = await startPackaged([join(place, 'pharos'), 'start'], { port, cwd: place, env })
    await delay(5_000)
    const { residentMb, ownMb } = server.memory()
    t.diagnostic(
      `ready after ${server.readyMs} ms; idle: ${residentMb} MB resident, ${ownMb} MB without the pages of Node`,
    )
    assert.ok(residentMb < 125, `${residentMb} MB`)
    await assertMonitors(server)
    assert.equal(await server.stop(), 0)
  }
  rmSync(join(place, 'data'), { recursive: true })
  writeSavedDatabase(join(place, 'data'))
  await using server = await startPackaged([join(place, 'pharos'), 'start'], { port, cwd: place, env })
  await assertFilled(server)
})

test('npm: installed offline with another Node, it runs in an empty folder, and removing it keeps the data', async () => {
  const [prefix, place] = [newFolder('prefix'), newFolder('place')]
  const path = [dirname(otherNode()), systemPath].join(delimiter)
  const npm = (...args: string[]) => {
    const env = { PATH: path, HOME: folder, npm_config_cache: join(folder, 'cache') }
    execFileSync('npm', [...args, '-g', '--offline', '--prefix', prefix], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  const program = join(prefix, 'bin/pharos')
  const port = await freePort()
  const env = { PATH: systemPath, PORT: `${port}`, ...settings }
  npm('install', tgz)
  {
    await using server = await startPackaged([program, 'start'], { port, cwd: place, env })
    await assertMonitors(server)
    assert.equal(await server.stop(), 0)
  }
  // An upgrade replaces the program, not the data.
  npm('install', tgz)
  {
    await using server = await startPackaged([program, 'start'], { port, cwd: place, env })
    const { data } = (await server.client().get('/monitors')).body
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['Packaged'],
    )
  }
  npm('uninstall', 'pharos')
  assert.ok(!existsSync(program))
  assert.ok(existsSync(join(place, 'data/pharos.db')))
})
