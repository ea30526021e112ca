import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

interface LockEntry {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

const text = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
const { lockfileVersion, packages } = JSON.parse(text) as {
  lockfileVersion: number
  packages: Record<string, LockEntry>
}
/** The root and the workspaces are folders of this repository. */
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true)

test('every installed package is pinned by version and SHA-512', () => {
  assert.equal(lockfileVersion, 3)
  assert.ok(installed.length > 100)
  const loose = installed.filter(
    ([, { version, integrity }]) => version === undefined || !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
  )
  assert.deepEqual(loose, [])
})

test('no address of a registry is in the lock file', () => {
  const addresses = Object.values(packages).filter(({ resolved }) => resolved?.includes(':'))
  assert.deepEqual(addresses, [])
  assert.doesNotMatch(text, /registry|\.tgz/)
})

test('the product needs at most 115 packages, Node for each platform included', () => {
  const needed = installed.filter(([, { dev }]) => dev !== true)
  assert.ok(needed.length <= 115, `${needed.length}: can a dependency do without some of them?`)
})

test('no package runs a script when it is installed', () => {
  const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true)
  assert.deepEqual(running, [])
})
