import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiCommands } from '../../../src/cli/api/commands.ts'
import { explainError } from '../../../src/cli/api/explain-error.ts'
import { type ClientCommand, CommandError } from '../../../src/cli/command.ts'
import { parseArguments } from '../../../src/cli/parse-arguments.ts'
import { foreign, startScriptedServer } from '../../clients/scripted-server.ts'
import { useApi } from '../../support/api.ts'
import { openShell } from '../../support/pharos-process.ts'
import { closedPort } from '../../support/ports.ts'

/** The message of a command that must fail in this environment. */
async function failure(environment: Record<string, string>, name: string, ...argv: string[]): Promise<string> {
  const command = apiCommands.find((each) => each.name === name) as ClientCommand
  const error = await command.call(environment, parseArguments(command, argv)).then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => explainError(reason, command),
  )
  assert.ok(error instanceof CommandError)
  return error.message
}

describe('commands over the API', () => {
  const api = useApi('sqlite')

  test('need a valid key, and full access to change something', async () => {
    const { url } = api.server
    const { orgId } = await api.tenant()
    const wrong = await failure({ PHAROS_URL: url, PHAROS_API_KEY: 'phr_wrong' }, 'monitors list')
    assert.match(wrong, /\. Set PHAROS_API_KEY to a valid API key$/)
    const reader = { PHAROS_URL: url, PHAROS_API_KEY: (await api.server.makeKey(orgId, 'read-only')).key }
    const refused = await failure(reader, 'monitors create', '--type', 'cron', '--name', 'a')
    assert.match(refused, /The API key is read-only; use a key with full access$/)
  })

  test('need neither a database nor settings of a server', async () => {
    const { key } = await api.tenant()
    const nothing = { PORT: 'none', PHAROS_DATA_DIR: '/nonexistent' }
    await using shell = openShell({ ...nothing, PHAROS_URL: `${api.server.url}/`, PHAROS_API_KEY: ` ${key}\n` })
    const { code, stdout } = await shell.run('monitors', 'list', '--json')
    assert.deepEqual([code, JSON.parse(stdout).data], [0, []])
  })
})

test('a missing key and a wrong address are named', async () => {
  assert.match(await failure({}, 'monitors list'), /^PHAROS_API_KEY is not set\. Create an API key/)
  const address = await failure({ PHAROS_URL: 'pharos', PHAROS_API_KEY: 'phr_x' }, 'monitors list')
  assert.match(address, /^PHAROS_URL must be an address such as https:\/\/\S+, not "pharos"$/)
  const secret = await failure({ PHAROS_URL: 'ftp://u@b:secret@c', PHAROS_API_KEY: 'phr_x' }, 'monitors list')
  assert.match(secret, /, not "ftp:\/\/\*\*\*@c"$/)
  const key = await failure({ PHAROS_API_KEY: 'phr x' }, 'monitors list')
  assert.equal(key, 'PHAROS_API_KEY is not an API key: it contains spaces or special characters')
})

test('a server that does not answer is named', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`
  const message = await failure({ PHAROS_URL: url, PHAROS_API_KEY: 'phr_x' }, 'incidents list')
  assert.match(message, /^Cannot reach http:\/\/127.*ECONNREFUSED.*\. Check that the server is running/)
})

test('a server that is not Pharos is an error, whatever it answers', async () => {
  await using server = await startScriptedServer(foreign('ok'))
  const environment = { PHAROS_URL: server.url, PHAROS_API_KEY: 'phr_x' }
  for (const name of ['monitors list', 'monitors pause', 'monitors get', 'metrics monitors']) {
    const ids = name.endsWith('s') || name.endsWith('list') ? [] : ['mon_1']
    const message = await failure(environment, name, ...ids)
    assert.equal(message, 'The response with status 200 is not from Pharos; check the address and proxies in between')
  }
  assert.match(String(server.received[0]?.headers['user-agent']), /^pharos-cli\/\d/)
  await using shell = openShell(environment)
  assert.equal((await shell.run('monitors', 'list')).code, 1)
})
