import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serverCommands } from '../../src/cli/server-commands.ts'
import { CommandLine } from '../support/command-line.ts'

describe('commands on the database that remove something', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('need --yes if nobody can be asked, and change nothing without it', async () => {
    const { id, key } = await cli.json('keys create --org default --name kept --access full')
    const asking = serverCommands.filter(({ options }) => options?.yes !== undefined).map(({ name }) => name)
    for (const name of asking) {
      assert.match(await cli.usageError(`${name} ${id}`), /^Without a terminal, this command needs --yes\./)
    }
    assert.equal((await cli.server.client(key).get('/monitors')).status, 200)
    const removing = serverCommands.filter(({ summary }) => /^(Remove|Revoke|Delete)\b/.test(summary))
    assert.deepEqual(
      asking,
      removing.map(({ name }) => name),
    )
    assert.equal(asking.length, 3)
  })
})
