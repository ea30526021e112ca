import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { openShell } from '../support/pharos-process.ts'
import { emptyWorkspace } from '../support/workspace.ts'

const lines = [
  'orgs list',
  'orgs create --name a',
  'keys list',
  'keys create --access full',
  'setup-link',
  'users list',
  'users create a@example.com',
  'confirm-contact con_1',
  'migrate --dry-run',
]

forEachEngine('without a database', (engine) => {
  test('commands on the database say what to set, and create nothing; migrate creates it', async () => {
    await using place = await emptyWorkspace(engine)
    await using shell = openShell(place.env)
    const sentence =
      engine === 'sqlite'
        ? /^pharos: No database at \/.*pharos\.db; set PHAROS_DATA_DIR to the data folder of the server, or create a database with "pharos start"\n$/
        : /^pharos: \S.* has no tables of Pharos; set DATABASE_URL to the database of the server, or create them with "pharos start"\n$/
    const page = join(place.folder, 'page')
    const ofFiles = [`export-page acme ${page}`, ...(engine === 'sqlite' ? [`backup ${page}.db`] : [])]
    const refusable = engine === 'postgres' ? lines.filter((line) => !line.startsWith('migrate')) : lines
    for (const line of [...refusable, ...ofFiles]) {
      const { code, stdout, stderr } = await shell.run(...line.split(' '))
      assert.deepEqual([code, stdout], [1, ''], line)
      assert.match(stderr, sentence, line)
    }
    assert.deepEqual(readdirSync(place.folder), [])
    assert.equal((await shell.run('migrate')).code, 0)
    assert.equal((await shell.run('orgs', 'list')).code, 0)
  })
})
