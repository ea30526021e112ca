import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CommandLine } from '../../support/command-line.ts'
import { closedPort } from '../../support/ports.ts'

describe('command lines over the API', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('take a whole body from a file, overridden by options', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-body-'))
    try {
      const file = join(folder, 'monitor.json')
      writeFileSync(file, JSON.stringify({ name: 'From file', type: 'CRON', graceSeconds: 5 }))
      const created = await cli.json(`monitors create --body @${file} --name`, 'From option')
      assert.deepEqual([created.name, created.graceSeconds], ['From option', 5])
      await cli.text(`monitors delete ${created.id} --yes`)
      assert.match(await cli.refusal(`monitors create --body @${file}.missing`), /^Cannot read .*missing/)
      writeFileSync(file, '{"name":')
      assert.match(await cli.refusal(`monitors create --body @${file}`), /monitor\.json is not JSON/)
      assert.match(await cli.usageError('monitors create --body [1]'), /--body must be a JSON object/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('read lists in pages, or all of them', async () => {
    const ids: string[] = []
    for (const name of ['M1', 'M2', 'M3']) ids.push((await cli.json(`monitors create --type cron --name ${name}`)).id)
    const first = await cli.text('monitors list --limit 1')
    assert.match(first, /\n\nShowing 1 of \d+\. Use --all for all, or --limit and --offset\.\n$/)
    const { data, pagination } = await cli.json('monitors list --limit 2 --all')
    assert.deepEqual(
      data.slice(-3).map(({ id }: { id: string }) => id),
      ids,
    )
    assert.deepEqual(pagination, { limit: data.length, offset: 0, total: data.length })
    for (const id of ids) await cli.text(`monitors delete ${id} --yes`)
  })

  test('make a change once with the same idempotency key', async () => {
    const line = 'monitors create --type cron --name Once --idempotency-key once-1'
    const [first, second] = [await cli.json(line), await cli.json(line)]
    assert.equal(first.id, second.id)
    assert.match(
      await cli.text(line),
      /^Created Once .*\n[\s\S]*^Nothing was changed: the idempotency key was used before/m,
    )
    const other = await cli.refusal('monitors create --type cron --name Other --idempotency-key once-1')
    assert.match(other, /Use another --idempotency-key$/)
    await cli.text(`monitors delete ${first.id} --yes`)
  })

  test('explain mistakes of the command line', async () => {
    const mistakes: [string, RegExp][] = [
      ['monitors create --name a', /^Missing option --type TYPE\./],
      [
        'monitors create --name a --type htpt',
        /--type must be one of http, .*, not "htpt"\. Did you mean "--type http"\?/,
      ],
      ['monitors create --name a --type port --port x', /^--port must be a whole number, not "x"/],
      ['monitors create --name a --type http --url', /^Option --url needs a value: --url URL/],
      ['monitors update x --verify-ssl --no-verify-ssl', /^Use --verify-ssl or --no-verify-ssl, not both/],
      ['monitors update x --no-verify-ssl=1', /^Option --no-verify-ssl takes no value/],
      ['monitors update x --request-headers Accept', /must be a name and a value such as "Accept: text\/html"/],
      ['monitors update x --verfy-ssl', /^Unknown option --verfy-ssl\. Did you mean "--verify-ssl"\?/],
      ['monitors get', /^Missing argument ID\./],
      ['monitors show x', /^Unknown command "monitors show"\. Did you mean "pharos monitors get"\?/],
      ['monitors list --every 3', /^--every needs --watch/],
      ['monitors list --watch --every 0', /^--every must be a number of seconds/],
      ['windows create --name a --starts-at soon --ends-at +1h', /^--starts-at must be a time such as/],
      ['pages create --name a --sections [', /^--sections must be JSON, @FILE or - for standard input/],
      ['completion tcsh', /^SHELL must be bash, zsh or fish/],
    ]
    for (const [line, sentence] of mistakes) assert.match(await cli.usageError(line), sentence, line)
    const empty = await cli.run('monitors', 'get', '')
    assert.equal(empty.code, 2)
    assert.match(empty.stderr, /^pharos: ID must be the ID of a resource\./)
  })

  test('explain what the server refuses, by the names of options', async () => {
    const one = await cli.usageError('monitors create --type http --name a')
    assert.equal(one, '--url is required for HTTP monitors. Run "pharos monitors create --help" for help.')
    const many = await cli.run('monitors', 'create', '--type', 'port', '--name', 'a', '--expected-status', '7,200')
    assert.equal(many.code, 2)
    assert.match(many.stderr, /^pharos: \d problems:\n {2}--\S/)
    assert.match(many.stderr, /^ {2}--expected-status \(item 1\) must be/m)
    assert.match(many.stderr, /\nRun "pharos monitors create --help" for help\.\n$/)
    assert.match(await cli.refusal('monitors get mon_1'), /^No such monitor\. Run "pharos monitors list" to see all$/)
    for (const limit of ['0', '500', 'abc', '1.5']) {
      assert.match(await cli.usageError(`monitors list --limit ${limit}`), /^--limit must be/)
    }
    const window = await cli.usageError('windows create --name W --all-monitors --starts-at +2h --ends-at +1h')
    assert.match(window, /^--ends-at must be after --starts-at\./)
  })

  test('fail if the check that is tried fails', async () => {
    const line = `monitors try --type port --host 127.0.0.1 --name Tried --port ${await closedPort()}`
    const { code, stdout, stderr } = await cli.run(...line.split(' '))
    assert.deepEqual([code, stderr], [1, ''])
    assert.match(stdout, /^Outcome: +Failure$/m)
    const open = new URL(cli.server.url).port
    assert.match(await cli.text(`monitors try --type port --host 127.0.0.1 --name Tried --port ${open}`), /Success/)
  })
})
