import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
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
  'users list',
  'users create',
  'users remove',
  'users reset-password',
  'users reset-second-factor',
  'contacts add',
  'contacts list',
  'contacts show',
  'contacts test',
  'contacts confirm',
  'contacts resend-confirmation',
  'contacts enable',
  'contacts disable',
  'contacts attach',
  'contacts detach',
  'contacts remove',
  'subscribers list',
  'subscribers export',
  'subscribers remove',
  'export-page',
  'backup',
  'doctor',
]

describe('help', () => {
  for (const args of [[], ['help'], ['orgs', '--help']]) {
    test(`"pharos ${args.join(' ')}" lists every command`, async () => {
      const { code, stdout, stderr } = await pharos(args)
      assert.deepEqual([code, stderr], [0, ''])
      for (const command of commands) assert.match(stdout, new RegExp(`^ {2}${command}\\b`, 'm'))
    })
  }

  test('--help shows the usage of each command and has no effect, whatever the configuration', async () => {
    await using shell = openShell({ PORT: 'nonsense', DATABASE_URL: 'nonsense' })
    for (const command of commands) {
      for (const help of ['--help', '-h']) {
        const { code, stdout, stderr } = await shell.run(...command.split(' '), help)
        assert.deepEqual([code, stderr], [0, ''], command)
        assert.match(stdout, new RegExp(`^Usage: pharos ${command}\\b`, 'm'))
        assert.match(stdout, /^ {2}--json/m)
      }
    }
  })
})

describe('wrong usage ends with one sentence', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const mistakes: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
    [['fly'], /no command "fly"/],
    [['orgs'], /no command "orgs".*"orgs create", "orgs list", "orgs set"/],
    [['keys', 'burn'], /no command "keys burn".*"keys revoke"/],
    [['--fly'], /no option --fly/],
    [['start', 'now'], /"pharos start" takes no arguments/],
    [['start', '--fly'], /--fly/],
    [['orgs', 'create'], /--name is missing/],
    [['orgs', 'create', '--name'], /--name/],
    [['orgs', 'create', '--name', ' '], /--name must have 1 to 120 characters/],
    [['orgs', 'create', '--name', 'x'.repeat(121)], /--name must have 1 to 120 characters/],
    [['orgs', 'create', '--name', 'a', '--plan', 'GOLD'], /no plan "GOLD".*FREE, STARTER, PRO, BUSINESS, SELF_HOSTED/],
    [['orgs', 'set'], /takes ORG/],
    [['orgs', 'set', 'nobody'], /--plan, --subscription or both/],
    [['orgs', 'set', 'nobody', '--plan', 'PRO'], /no organization "nobody"/],
    [['orgs', 'set', 'nobody', '--subscription', 'maybe'], /--subscription is active or inactive/],
    [['orgs', 'list', 'all'], /takes no arguments/],
    [['keys', 'create', '--name', 'a', '--access', 'full'], /--org is missing/],
    [['keys', 'create', '--org', 'nobody', '--name', 'a', '--access', 'full'], /no organization "nobody"/],
    [['keys', 'create', '--org', 'x', '--name', 'a', '--access', 'some'], /--access is full or read-only/],
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
    [['keys', 'revoke'], /takes KEY/],
    [['keys', 'revoke', 'key_1'], /no key "key_1"/],
    [['backup'], /takes FILE/],
  ]
  test('that names the mistake', async () => {
    await using shell = openShell({ PHAROS_DATA_DIR: join(folder, 'data') })
    for (const [args, sentence] of mistakes) {
      const { code, stdout, stderr } = await shell.run(...args)
      assert.deepEqual([code, stdout], [1, ''], args.join(' '))
      assert.match(stderr, sentence)
      assert.match(stderr, /^pharos: [^\n]+\n$/, 'one line, and no stack')
    }
  })

  for (const [args, sentence] of mistakes.slice(0, 3)) {
    test(`also in a process of its own: pharos ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await pharos(args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, sentence)
    })
  }

  test('backup of a data folder without a database fails and creates none', async () => {
    const { code, stderr } = await pharos(['backup', join(folder, 'copy.db')], {
      env: { PHAROS_DATA_DIR: join(folder, 'nothing') },
    })
    assert.equal(code, 1)
    assert.match(stderr, /^pharos: There is no database at .*PHAROS_DATA_DIR\n$/)
    assert.ok(!readdirSync(folder).includes('nothing'))
  })
})
