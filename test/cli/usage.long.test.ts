import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openShell, pharos } from '../support/pharos-process.ts'

const commands = [
  'start',
  'migrate',
  'orgs create',
  'orgs list',
  'orgs set',
  'keys create',
  'keys list',
  'keys revoke',
  'setup-link',
  'users list',
  'users create',
  'users remove',
  'users reset-password',
  'users reset-second-factor',
  'confirm-contact',
  'export-page',
  'backup',
  'doctor',
  'healthcheck',
  'mcp',
]

describe('help', () => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    test(`"pharos ${args.join(' ')}" lists every command`, async () => {
      const { code, stdout, stderr } = await pharos(args)
      assert.deepEqual([code, stderr], [0, ''])
      for (const command of commands) assert.match(stdout, new RegExp(`^ {2}${command.split(' ')[0]}\\b`, 'm'))
    })
  }

  for (const option of ['--version', '-v', 'version']) {
    test(`"pharos ${option}" prints the version`, async () => {
      const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
      assert.deepEqual(await pharos([option]), { code: 0, stdout: `pharos ${version}\n`, stderr: '' })
    })
  }

  for (const args of [['keys', '--help'], ['keys', '-h'], ['help', 'keys'], ['keys']]) {
    test(`"pharos ${args.join(' ')}" lists the commands of the group`, async () => {
      const { code, stdout, stderr } = await pharos(args)
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, /^Usage: pharos keys COMMAND/)
      assert.deepEqual(stdout.match(/^ {2}\w+ \w+/gm), ['  keys create', '  keys list', '  keys revoke'])
    })
  }

  test('--help shows the usage of each command and has no effect, whatever the configuration', async () => {
    await using shell = openShell({ PORT: 'nonsense', DATABASE_URL: 'nonsense' })
    for (const command of commands) {
      const words = command.split(' ')
      for (const args of [
        [...words, '--help'],
        [...words, '-h'],
        ['help', ...words],
      ]) {
        const { code, stdout, stderr } = await shell.run(...args)
        assert.deepEqual([code, stderr], [0, ''], command)
        assert.match(stdout, new RegExp(`^Usage: pharos ${command}\\b`, 'm'))
        if (!['start', 'mcp'].includes(command)) assert.match(stdout, /^ {2}--json/m)
      }
    }
  })
})

type Mistake = readonly [args: readonly string[], sentence: RegExp]
const mistakes: readonly Mistake[] = [
  [['fly'], /: Unknown command "fly"\. Run "pharos --help" for help\.$/m],
  [['keys', 'burn'], /Unknown command "keys burn"\. Run "pharos keys --help"/],
  [['keys', 'lsit'], /Unknown command "keys lsit"\. Did you mean "pharos keys list"\?/],
  [['keys', 'delete', 'key_1'], /Did you mean "pharos keys revoke"\?/],
  [['kyes', 'list'], /Unknown command "kyes"\. Did you mean "pharos keys list"\?/],
  [['strat', '--json'], /Unknown command "strat"\. Did you mean "pharos start"\?/],
  [['org'], /Unknown command "org"\. Did you mean "pharos orgs"\?/],
  [['help', 'fly'], /Unknown command "fly"/],
  [['monitors', 'show', 'x'], /Unknown command "monitors show"\. Did you mean "pharos monitors get"\?/],
  [['x'.repeat(10_000)], /Unknown command "x+"/],
  [['--json', 'keys', 'list'], /Options go after the command, but --json comes first/],
  [['--fly'], /Unknown option --fly/],
  [['start', 'now'], /Unexpected argument "now": "pharos start" takes no arguments/],
  [['start', '--fly'], /Unknown option --fly\. Run "pharos start --help"/],
  [['start', '--toString'], /Unknown option --toString/],
  [['start', '--json'], /Unknown option --json/],
  [['doctor', '--jsn'], /Unknown option --jsn\. Did you mean "--json"\?/],
  [['doctor', '--json=yes'], /Option --json takes no value/],
  [['orgs', 'create'], /Missing option --name NAME/],
  [['orgs', 'create', '--name'], /Option --name needs a value: --name NAME/],
  [['orgs', 'create', '--name', '--plan'], /Option --name needs a value/],
  [['orgs', 'create', '--name', ' '], /--name must have 1 to 120 characters/],
  [['orgs', 'create', '--name', 'x'.repeat(121)], /--name must have 1 to 120 characters/],
  [
    ['orgs', 'create', '--name', 'a', '--plan', 'GOLD'],
    /Unknown plan "GOLD": use free, starter, pro, business, self-hosted/,
  ],
  [['orgs', 'set'], /Missing argument ORG/],
  [['orgs', 'set', 'a', 'b'], /Unexpected argument "b": "pharos orgs set" takes only ORG/],
  [['orgs', 'set', 'nobody'], /Set --plan, --subscription or both/],
  [['orgs', 'set', 'nobody', '--subscription', 'maybe'], /--subscription must be active or inactive/],
  [['orgs', 'list', 'all'], /takes no arguments/],
  [['keys', 'create'], /Missing option --access LEVEL/],
  [['keys', 'create', '--org', 'x', '--name', 'a', '--access', 'some'], /--access must be full or read-only/],
  ...['30', '0d', '1w', '-1d', 'soon'].map(
    (time) =>
      [
        ['keys', 'create', '--org', 'x', '--name', 'a', '--access', 'full', `--expires-in=${time}`],
        /--expires-in must be a duration such as/,
      ] as const,
  ),
  ...['2020-01-01T00:00:00Z', '2999-01-01', 'tomorrow', '2999-13-01T00:00:00Z'].map(
    (moment) =>
      [
        ['keys', 'create', '--org', 'x', '--name', 'a', '--access', 'full', '--expires-at', moment],
        /--expires-at must be a time in the future/,
      ] as const,
  ),
  [
    ['keys', 'create', '--org', 'x', '--name', 'a', '--access', 'full', '--expires-in=1d', '--expires-at=x'],
    /--expires-in or --expires-at, not both/,
  ],
  [['keys', 'revoke'], /Missing argument KEY/],
  [['keys', 'revoke', 'key_1'], /Without a terminal, this command needs --yes/],
  [['backup'], /Missing argument FILE/],
]
const failures: readonly Mistake[] = [
  [['orgs', 'set', 'nobody', '--plan', 'PRO'], /Organization "nobody" not found; run "pharos orgs list"/],
  [['keys', 'create', '--org', 'nobody', '--name', 'a', '--access', 'full'], /Organization "nobody" not found/],
  [['keys', 'revoke', 'key_1', '--yes'], /API key "key_1" not found; run "pharos keys list" to see all/],
]

describe('wrong usage ends with one sentence', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('that names the mistake, how to get help, and exit code 2', async () => {
    await using shell = openShell({ PHAROS_DATA_DIR: join(folder, 'data') })
    await shell.run('migrate')
    for (const [args, sentence] of mistakes) {
      const { code, stdout, stderr } = await shell.run(...args)
      assert.deepEqual([code, stdout], [2, ''], args.join(' '))
      assert.match(stderr, sentence)
      assert.match(stderr, /^pharos: [^\n]+[.?] Run "pharos [^"]*--help" for help\.\n$/, 'one line, and no stack')
    }
  })

  test('while a correct command that fails has exit code 1', async () => {
    await using shell = openShell({ PHAROS_DATA_DIR: join(folder, 'data') })
    await shell.run('migrate')
    for (const [args, sentence] of failures) {
      const { code, stdout, stderr } = await shell.run(...args)
      assert.deepEqual([code, stdout], [1, ''], args.join(' '))
      assert.match(stderr, sentence)
      assert.match(stderr, /^pharos: [^\n]+\n$/, 'one line, and no stack')
    }
  })
})
