import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { apiCommands } from '../../../src/cli/api/commands.ts'
import { parseArguments } from '../../../src/cli/parse-arguments.ts'
import { CommandLine } from '../../support/command-line.ts'

describe('commands that replace settings', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  async function created(name: string, ...more: string[]): Promise<string> {
    const line = `monitors create --type http --url https://shop.example --name ${name}`
    return (await cli.json(line, ...more)).id
  }

  test('keep what is not named, secrets included, unless --replace is given', async () => {
    const id = await created('Kept')
    const auth = JSON.stringify({ type: 'BEARER', token: 'secret-of-the-shop' })
    await cli.text(`monitors set-request ${id} --address-family both --auth`, auth)
    const merged = await cli.json('monitors set-request Kept --max-redirects 3')
    assert.deepEqual(merged, {
      auth: { type: 'BEARER', token: 'set' },
      maxRedirects: 3,
      addressFamily: 'BOTH',
    })
    // The token would go elsewhere with another resolver.
    const moved = await cli.usageError(`monitors set-request ${id} --resolver 192.0.2.53:53`)
    assert.match(moved, /^--auth \(token\) must be entered again when --proxy-url, resolver or --server-name changes/)
    const replaced = await cli.json(`monitors set-request ${id} --resolver 192.0.2.54:53 --replace`)
    assert.deepEqual(replaced, { resolver: '192.0.2.54:53' })
    const whole = await cli.json(`monitors set-request ${id} --body`, '{"serverName":"shop.example"}')
    assert.deepEqual(whole, { serverName: 'shop.example' })
    await cli.text(`monitors set-notes ${id} --text Call`, '--runbook-url', 'https://wiki.example/shop')
    const notes = await cli.json(`monitors set-notes ${id} --text`, 'Call Ada')
    assert.deepEqual(notes, { runbookUrl: 'https://wiki.example/shop', text: 'Call Ada' })
    await cli.text(`monitors delete ${id} --yes`)
  })

  test('complete what is required from what is stored, and replace the other one of two that exclude each other', async () => {
    const { id } = await cli.json('monitors create --type cron --name Nightly')
    await cli.text(`monitors set-schedule ${id} --cron @daily`)
    const moved = await cli.json(`monitors set-schedule ${id} --timezone Europe/Berlin`)
    assert.deepEqual([moved.cron, moved.timezone], ['@daily', 'Europe/Berlin'])
    const port = await cli.json('monitors create --type port --host mail.example --port 587 --name Mail')
    const steps = JSON.stringify([{ send: 'PING\r\n', expect: '+PONG' }])
    await cli.text(`monitors set-dialogue ${port.id} --transport tls --steps`, steps)
    const dialogue = await cli.json(`monitors set-dialogue ${port.id} --preset imap`)
    assert.deepEqual([dialogue.transport, dialogue.preset], ['TLS', 'IMAP'])
    for (const each of [id, port.id]) await cli.text(`monitors delete ${each} --yes`)
  })

  test('refuse to change nothing, and change nothing', async () => {
    const id = await created('Untouched')
    await cli.text(`monitors set-notes ${id} --text Call`)
    for (const name of ['request', 'notes', 'confirmation', 'schedule', 'dialogue', 'legacy-address', 'assertions']) {
      const refused = await cli.usageError(`monitors set-${name} ${id}`)
      assert.match(refused, new RegExp(`^Give at least one option\\. "pharos monitors remove-${name}" resets them\\.`))
    }
    assert.match(await cli.usageError(`monitors update ${id}`), /^Give at least one option\./)
    assert.deepEqual(await cli.json(`monitors get-notes ${id}`), { text: 'Call' })
    await cli.text(`monitors delete ${id} --yes`)
  })

  test('require an option on every command that replaces or changes something', async () => {
    const unset = apiCommands.filter(({ name }) => / (set|update)(-|$)/.test(name))
    assert.ok(unset.length > 10)
    for (const { name, positionals = [] } of unset) {
      assert.match(await cli.usageError(name, ...positionals), /^Give at least one option/, name)
    }
  })
})

test('the examples of the help parse, have no placeholders of the help, and change nothing that exists', () => {
  for (const command of apiCommands) {
    for (const line of command.examples ?? []) {
      const { status, stdout } = spawnSync('sh', [
        '-c',
        `printf '%s\\0' ${line.replace('$(base64 -w0 logo.png)', 'x')}`,
      ])
      assert.equal(status, 0, line)
      const [, ...words] = String(stdout).split('\0').slice(0, -1)
      const { positionals } = parseArguments(command, words.slice(command.name.split(' ').length))
      assert.doesNotMatch(line, / [A-Z]{2,}( |$)/, line)
      for (const id of positionals) assert.match(id, /^[a-z]+(_…)?$/, line)
    }
  }
})
