import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startKuma } from '../../shadow-runs/support.ts'
import { CommandLine } from '../../support/command-line.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

describe('pharos shadow', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api,scheduler' })

  test('starts a run with a key from a file, shows it, and ends it', async () => {
    await using kuma = await startKuma({ Shop: 1 })
    const file = join(emptyDataDir(), 'kuma.key')
    writeFileSync(file, `${kuma.key}\n`)
    const started = await cli.text(`shadow kuma --metrics ${kuma.url} --key-file ${file}`)
    assert.match(started, /0 monitors are compared\.\n1 only there: Shop\n/)
    assert.match(await cli.text('shadow status'), /Uptime Kuma: runs until/)
    assert.match(await cli.text('shadow finish kuma --yes'), /Ended\. Enabled 0 contacts, unmuted 0 monitors\./)
    assert.equal((await cli.run('shadow', 'finish', 'gatus', '--yes')).code, 1)
  })
})
