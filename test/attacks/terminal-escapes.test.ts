import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { execute } from '../../src/storage/query.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { claim } from '../support/person.ts'

/** Clears the screen, sets the title, turns the text around, and adds a line that looks like output. */
const HOSTILE = 'Acme\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eetalpmoc\u2028\r\nkey_forged  active'

/** What a terminal acts on. Line breaks are the command's own, except in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

forEachEngine('names from before they were checked, with control characters', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_PRIVATE_WEBHOOKS: 'allow' })

  test('reach the terminal of no server command, in text, in JSON or in an error', async () => {
    await claim(cli.server)
    const contact = { name: 'Ops', channel: 'EMAIL', settings: { address: 'ops@example.com' } }
    const { body } = await cli.server.client().post('/contacts', contact)
    const { id: keyId } = await cli.json('keys create --org default --name CI --access full')
    const page = await cli.server.client().post('/status-pages', { name: 'Status', slug: 'status' })
    assert.equal(page.status, 201)
    await cli.server.running.database.write(function* () {
      for (const table of ['organizations', 'users', 'api_keys', 'contacts']) {
        yield* execute(sql`update ${sql.table(table)} set name = ${HOSTILE}`)
      }
      yield* execute(sql`update contacts set last_error = ${HOSTILE}`)
    })
    for (const [line, lines] of [
      ['orgs list', 2],
      ['users list', 2],
      ['keys list', 3],
      [`confirm-contact ${body.id}`, 1],
      ['orgs set default --subscription active', 1],
      [`keys revoke ${keyId} --yes`, 1],
      ['users create second@example.com --org default', 4],
      ['users remove second@example.com --org default --yes', 1],
    ] as const) {
      const { code, stdout, stderr } = await cli.run(...line.split(' '))
      assert.deepEqual([code, stderr], [0, ''], line)
      assert.doesNotMatch(stdout, CONTROLS, line)
      assert.match(stdout, /Acme/, line)
      assert.equal(stdout.trimEnd().split('\n').length, lines, `${line}\n${stdout}`)
    }
    for (const line of ['orgs list', 'users list', 'keys list']) {
      const output = await cli.text(line, '--json')
      assert.doesNotMatch(output, CONTROLS, line)
      const names = JSON.parse(output).map(({ name }: { name: string }) => name)
      assert.ok(names.includes(HOSTILE), line)
    }
    const refused = await cli.refusal('users remove owner@example.com --org default --yes')
    assert.doesNotMatch(refused, CONTROLS)
  })

  test('are not accepted by commands', async () => {
    for (const line of ['orgs create --name', 'keys create --org default --access full --name']) {
      assert.match(await cli.usageError(line, 'Ac\u001b[2Jme'), /--name must not contain control characters/)
    }
  })
})
