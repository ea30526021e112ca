import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { apiCommands } from '../../../src/cli/api/commands.ts'
import { display } from '../../../src/cli/api/display.ts'
import { colorStates } from '../../../src/cli/color-states.ts'
import { relativeTime } from '../../../src/cli/command.ts'
import { confirm } from '../../../src/cli/confirm.ts'
import { writeYaml } from '../../../src/lib/write-yaml.ts'
import { CommandLine } from '../../support/command-line.ts'
import { program } from '../../support/pharos-process.ts'
import { closedPort } from '../../support/ports.ts'
import { skipWithout } from '../../support/programs.ts'

describe('commands over the API', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('write notes on incidents', async () => {
    const port = String(await closedPort())
    const { id } = await cli.json(`monitors create --type port --host 127.0.0.1 --name Noted --port ${port}`)
    await cli.text(`monitors check ${id}`)
    const [incident] = (await cli.json(`incidents list --monitor-id ${id}`)).data
    const note = await cli.json(`incidents add-note ${incident.id} --body`, 'Rolled back.')
    assert.equal(note.body, 'Rolled back.')
    const changed = await cli.json(`incidents update-note ${incident.id} ${note.id} --body=Done`)
    assert.equal(changed.body, 'Done')
    await cli.text(`monitors delete ${id} --yes`)
  })

  test('take a name instead of an ID where it is unique', async () => {
    const { id } = await cli.json('monitors create --type cron --name', 'Night job')
    assert.equal((await cli.json('monitors get', 'Night job')).id, id)
    const window = await cli.json('windows create --name W --starts-at +1h --ends-at +2h --monitor-ids', 'Night job')
    assert.deepEqual(window.monitorIds, [id])
    assert.equal((await cli.json('windows get W')).id, window.id)
    const second = await cli.json('monitors create --type cron --name', 'Night job')
    const refused = await cli.refusal('monitors pause', 'Night job')
    assert.equal(refused, `2 monitors are called "Night job". Use an ID: ${id}, ${second.id}`)
    const unknown = await cli.refusal('monitors get', 'Something else')
    assert.equal(unknown, 'No monitor is called "Something else". Run "pharos monitors list" to see all')
    const [mistyped, inCapitals] = [await cli.refusal('monitors get', 'Night jbo'), await cli.refusal('windows get w')]
    assert.match(mistyped, /^No monitor is called "Night jbo"\. Did you mean "Night job"\? Run "pharos monitors list"/)
    assert.match(inCapitals, /^No maintenance window is called "w"\. Did you mean "W"\? Run "pharos windows list"/)
    const foreign = `mon_${'0'.repeat(32)}`
    assert.match(await cli.refusal(`contacts list-for-monitor ${foreign}`), /monitor\. Run "pharos monitors list"/)
    for (const each of [id, second.id]) await cli.text(`monitors delete ${each} --yes`)
    await cli.text('windows delete W --yes')
  })

  test('delete nothing without --yes if nobody can be asked', async () => {
    const { id } = await cli.json('monitors create --type cron --name Kept')
    assert.match(await cli.usageError(`monitors delete ${id}`), /needs --yes/)
    assert.match(await cli.usageError(`monitors bulk-change --action delete --monitor-ids ${id}`), /needs --yes/)
    assert.equal((await cli.json(`monitors get ${id}`)).id, id)
    await cli.text(`monitors bulk-change --action delete --monitor-ids ${id} --yes`)
  })

  test('exit with 1 if one of several changes failed', async () => {
    const { id } = await cli.json('monitors create --type cron --name Several')
    const line = ['monitors', 'bulk-change', '--action', 'pause', '--monitor-ids']
    assert.equal((await cli.run(...line, id)).code, 0)
    const { code, stdout } = await cli.run(...line, `${id},mon_00000000000000000000000000000000`)
    assert.equal(code, 1)
    assert.match(stdout, /Failed: +1/)
    await cli.text(`monitors delete ${id} --yes`)
  })

  test('print JSON, YAML or a table, and labels as they are', async () => {
    const { id } = await cli.json('monitors create --type cron --name Formats')
    await cli.text(`monitors set-labels ${id} --labels cost_center=4711 --labels team:web`)
    assert.equal(await cli.text(`monitors get-labels ${id}`), 'Labels:  cost_center: 4711, team: web\n')
    assert.equal(await cli.text(`monitors get-labels ${id} -o yaml`), 'labels:\n  cost_center: "4711"\n  team: web\n')
    assert.deepEqual(JSON.parse(await cli.text(`monitors get-labels ${id} -o json`)).labels.team, 'web')
    const mistyped = await cli.usageError(`monitors get ${id} -o jsn`)
    assert.match(mistyped, /^--output must be one of table, json, yaml, not "jsn"\. Did you mean "--output json"\?/)
    assert.match(await cli.usageError(`monitors get ${id} -o yaml --json`), /^Use --output or --json, not both/)
    await cli.text(`monitors delete ${id} --yes`)
  })
})

describe('the output of commands over the API', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('says whose the key is', async () => {
    assert.equal((await cli.json('whoami')).key.access, 'FULL')
    assert.match(
      await cli.text('whoami'),
      /^Server: +http:\S+\nKey: +\S.* \(ends with \S{4}\)\nAccess: +Full\n[\s\S]*^Plan: +Self hosted$/m,
    )
  })

  test('status, down and ack show and acknowledge what is down', async () => {
    assert.match(await cli.text('status'), /^There are no monitors\./)
    assert.equal(await cli.text('down'), 'No monitor is down.\n')
    const port = String(await closedPort())
    const { id } = await cli.json(`monitors create --type port --host 127.0.0.1 --name Broken --port ${port}`)
    const fine = await cli.json('monitors create --type cron --name Fine')
    await cli.text(`monitors check ${id}`)
    const status = await cli.text('status')
    assert.match(status, /^1 down, 1 pending\.\n\nSTATE +NAME +SINCE +CAUSE +TARGET\nDown +Broken +\S.*refused/)
    assert.deepEqual((await cli.json('status')).counts.down, 1)
    assert.match(await cli.text('down'), /^STATE .*\nDown +Broken .*\n$/)
    const [incident] = (await cli.json('ack Broken')).data
    assert.deepEqual([incident.monitor.id, incident.acknowledged], [id, true])
    assert.match(await cli.text(`ack ${incident.id}`), /^Acknowledged the incident of Broken \(inc_/)
    assert.match(await cli.refusal('ack Fine'), /^There is no ongoing incident of "Fine"\. Run "pharos down"/)
    for (const each of [id, fine.id]) await cli.text(`monitors delete ${each} --yes`)
  })

  test('filters the list of monitors, and suggests values', async () => {
    const port = String(await closedPort())
    const { id } = await cli.json(`monitors create --type port --host 127.0.0.1 --name Filtered --port ${port}`)
    const other = await cli.json('monitors create --type cron --name Other')
    await cli.text(`monitors check ${id}`)
    const names = async (...options: string[]) => {
      return (await cli.json('monitors list', ...options)).data.map(({ name }: { name: string }) => name)
    }
    assert.deepEqual(await names('--state', 'down,degraded'), ['Filtered'])
    assert.deepEqual(await names('--q', 'OTH'), ['Other'])
    assert.deepEqual(await names('--type', 'cron', '--type', 'port', '--sort', 'name'), ['Filtered', 'Other'])
    assert.deepEqual(await names('--maintenance'), [])
    assert.match(await cli.usageError('monitors list --state dwon'), /Did you mean "--state down"\?/)
    // Without a filter, the answer is that of GET /monitors.
    assert.deepEqual(await cli.json('monitors list'), (await cli.server.client().get('/monitors')).body)
    for (const each of [id, other.id]) await cli.text(`monitors delete ${each} --yes`)
  })

  test('shows the chosen columns, and sentences instead of empty lines', async () => {
    const { id } = await cli.json('monitors create --type cron --name Columns')
    const shown = await cli.text('monitors list --columns', 'name, State,intervalSeconds')
    assert.equal(shown, 'NAME     STATE    INTERVAL\nColumns  Pending  300 s\n')
    const refused = await cli.usageError('monitors list --columns', 'nme')
    assert.match(refused, /^There is no column "nme"; columns are ID, STATE, .*\. Did you mean "name"\?/)
    assert.equal(await cli.text('monitors unmute Columns'), 'Unmuted Columns\n')
    assert.equal(await cli.text('monitors get-request Columns'), 'None\n')
    assert.equal(await cli.text('monitors remove-notes Columns'), 'Removed the notes of Columns\n')
    const contact = await cli.json('contacts create --name Ops --channel ntfy --settings topic=pharos-tests')
    assert.equal(await cli.text('contacts attach Columns Ops'), 'Ops gets alerts of Columns\n')
    assert.equal(await cli.text('contacts detach Columns Ops'), 'Ops no longer gets alerts of Columns\n')
    const channels = await cli.text('contacts channels')
    assert.match(channels, /^CHANNEL +NAME +READY +SETTINGS\nemail +E-mail +\w+ +address\n/)
    for (const line of channels.split('\n')) assert.ok(line.length < 100, line)
    assert.match(await cli.text('monitors uptime Columns'), /^SPAN +UPTIME +UP +DEGRADED/)
    await cli.text(`contacts delete ${contact.id} --yes`)
    await cli.text(`monitors delete ${id} --yes`)
  })

  test('ends quietly when the reader of a pipe ends', async () => {
    const env = { PATH: process.env.PATH, PHAROS_URL: cli.server.url, PHAROS_API_KEY: cli.env.PHAROS_BOOTSTRAP_KEY }
    // More than a pipe holds, so that the write fails.
    const child = spawn(process.execPath, [program, 'events', 'list', '--all', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'] as const,
    })
    child.stdout.destroy()
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += chunk))
    assert.deepEqual([...(await once(child, 'close')), errors], [0, null, ''])
  })

  test('has colours and relative times on a terminal', { skip: skipWithout(hasScript(), 'script') }, async () => {
    const { id } = await cli.json('monitors create --type cron --name Terminal')
    await cli.text(`monitors pause ${id}`)
    const env = { PATH: process.env.PATH, PHAROS_URL: cli.server.url, PHAROS_API_KEY: cli.env.PHAROS_BOOTSTRAP_KEY }
    const onTerminal = async (line: string, more: object = {}): Promise<string> => {
      const command = `stty cols 200; ${process.execPath} ${program} ${line}`
      const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...env, ...more }, stdio: 'pipe' })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
        if (String(chunk).includes('[y/N]')) child.stdin.write('y\n')
      })
      await once(child, 'close')
      return output
    }
    assert.ok((await onTerminal('monitors list')).includes('\u001b[90mPaused\u001b[0m  Terminal'))
    assert.doesNotMatch(await onTerminal('monitors list', { NO_COLOR: '1' }), /\[90m/)
    // Relative to the moment of the command: "now" if it is quick.
    assert.match(await onTerminal('audit-log list'), /^(now|\d+ s ago) /m)
    assert.match(
      await onTerminal(`monitors delete Terminal`),
      /Delete monitor Terminal \(mon_\w+\)\? \[y\/N\] [\s\S]*Deleted mon_/,
    )
    assert.deepEqual((await cli.json('monitors list')).data, [])
    const key = await cli.json('keys create --org default --name Terminal --access full')
    const question = new RegExp(
      `Revoke an API key permanently: ${key.id}\\? \\[y/N\\] [\\s\\S]*Revoked API key Terminal`,
    )
    assert.match(await onTerminal(`keys revoke ${key.id}`, cli.env), question)
  })
})

function hasScript(): boolean {
  return spawnSync('script', ['--version']).status === 0
}

test('every option of a command has one meaning', () => {
  for (const { name, options = {} } of apiCommands) {
    const isNote = name.endsWith('-note')
    if ('body' in options) assert.equal(options.body?.value, isNote ? 'BODY' : 'JSON', name)
  }
})

test('a question is answered with yes, or nothing is changed', async () => {
  const asked = async (answer: string): Promise<void> => {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    input.end(answer)
    await confirm('Delete Shop?', { input, output: Object.assign(new PassThrough(), { isTTY: true }) })
  }
  await asked('y\n')
  await asked(' YES \n')
  for (const no of ['\n', 'n\n', 'yep\n', '']) await assert.rejects(asked(no), /^CommandError: Nothing was changed$/)
})

test('times near now are relative', () => {
  const now = Date.parse('2026-11-18T12:00:00Z')
  const at = (ms: number) => relativeTime(now + ms, now)
  assert.deepEqual([at(0), at(-61_000), at(-7_500_000), at(80_000)], ['now', '1 min ago', '2 h ago', 'in 1 min'])
  assert.equal(at(7_199_900), 'in 2 h')
  assert.match(at(-30 * 86_400_000), /2026/)
})

test('only states in cells are coloured', () => {
  assert.equal(colorStates('mon_1  Down  Up and Down'), 'mon_1  \u001b[31mDown\u001b[0m  Up and Down')
})

test('YAML quotes whatever a reader could take for something else', () => {
  const value = { a: 'x y', b: ['no', '1', 'a: b', null, 1.5, true], 'k:': {}, c: [{ d: [], e: 'line\nbreak' }], f: '' }
  const text =
    'a: x y\nb:\n  - "no"\n  - "1"\n  - "a: b"\n  - null\n  - 1.5\n  - true\n"k:": {}\nc:\n  - d: []\n    e: "line\\nbreak"\nf: ""'
  assert.equal(writeYaml(value), text)
  assert.equal(writeYaml('\u009b31m'), '"\\u009b31m"', 'nothing controls the terminal')
})

test('names that users chose are not rewritten', () => {
  const labels = { type: 'object', additionalProperties: { type: 'string' } } as const
  assert.equal(display({ cost_center: 'a', 'my-url': 'b' }, labels), 'cost_center: a, my-url: b')
})
