import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { openShell, program } from '../../support/pharos-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-login-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('pharos login', () => {
  const api = useApi('sqlite')

  test('saves a checked key privately, which commands then use, and only for its server', async () => {
    const { url } = api.server
    const home = join(folder, 'home')
    const [keyFile, file] = [join(folder, 'key'), join(home, 'pharos/profiles.json')]
    const { key, orgId } = await api.tenant()
    await using shell = openShell({ XDG_CONFIG_HOME: home })
    const login = (text: string, ...more: string[]) => {
      writeFileSync(keyFile, `${text}\n`)
      return shell.run('login', '--url', url, '--key-file', keyFile, ...more)
    }
    const wrong = await login('phr_wrong')
    assert.equal(wrong.code, 1)
    assert.throws(() => statSync(file), /ENOENT/)
    assert.match((await login(key)).stdout, /^Logged in to .*\nSaved as profile "default" in /)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const orgOf = async (...more: string[]) => JSON.parse((await shell.run('whoami', '--json', ...more)).stdout)
    assert.equal((await orgOf()).organization.id, orgId)

    const other = await api.tenant()
    const reader = (await api.server.makeKey(other.orgId, 'read-only')).key
    await login(reader, '--profile', 'staging')
    assert.equal((await orgOf()).organization.id, other.orgId)
    assert.equal((await orgOf('--profile', 'default')).organization.id, orgId)
    assert.match((await shell.run('whoami', '--profile', 'x')).stderr, /no profile "x" \(known: default, staging\)/)

    const elsewhere = await shell.runWith({ PHAROS_URL: 'http://127.0.0.1:9' }, 'whoami')
    assert.match(elsewhere.stderr, /^pharos: PHAROS_API_KEY is not set/, 'the key is not sent to another server')
    const chosen = await shell.runWith({ PHAROS_URL: url, PHAROS_API_KEY: key }, 'whoami', '--json')
    assert.equal(JSON.parse(chosen.stdout).organization.id, orgId, 'the environment wins')

    assert.match((await shell.run('whoami')).stdout, new RegExp(`^Server: +${url} \\(profile staging\\)\nKey: `))
    await shell.run('logout')
    assert.equal((await orgOf()).organization.id, orgId)
    assert.doesNotMatch(readFileSync(file, 'utf8'), new RegExp(reader))
    chmodSync(file, 0o644)
    assert.match((await shell.run('whoami')).stderr, /others can read it\. Run "chmod 600/)
  })

  test('reads the key from a pipe, and logout says that there is no profile', async () => {
    const { key } = await api.tenant()
    const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: join(folder, 'piped') }
    const run = (...args: string[]) => {
      return spawnSync(process.execPath, [program, ...args], { env, input: `${key}\n`, encoding: 'utf8' })
    }
    assert.equal(run('logout').stderr, 'pharos: No profile is saved; "pharos login" saves one\n')
    // Asynchronous: the server is in this process.
    const child = spawn(process.execPath, [program, 'login', '--url', api.server.url], { env, stdio: 'pipe' })
    child.stdin.end(`${key}\n`)
    assert.deepEqual(await once(child, 'close'), [0, null])
    assert.match(run('logout', '--profile', 'other').stderr, /^pharos: There is no profile "other" \(known: default\)/)
  })
})
