import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Received, type Service, startService } from '../notifications/contacts/service.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { type Env, program } from '../support/pharos-process.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'

const SECRET = 'tk_a-very-secret-token'

const base = 'admin contacts add --org default --name a --channel'
const mistakes: readonly (readonly [line: string, sentence: RegExp])[] = [
  ['admin contacts add --name a --channel slack', /Missing option --org ORG/],
  [`${base} pigeon`, /Unknown channel "pigeon": use email, slack, /],
  [`${base} slack`, /webhookUrl is required\. Run "pharos admin contacts add --help"/],
  [`${base} slack --set webhookUrl`, /--set must have the form KEY=VALUE/],
  [`${base} slack --set webhookUrl=ftp://x`, /webhookUrl must begin with https:\/\/ or http:\/\//],
  [`${base} ntfy --set topic=x --set topic=y`, /Setting topic is given twice/],
  [`${base} ntfy --set topic=x --set colour=red`, /colour is not a known field/],
  [
    `${base} ntfy --set topic=x --set priority=high --set server=nonsense`,
    /priority must be an integer; server is not/,
  ],
  [`${base} ntfy --set topic=x --kinds opened,closed`, /Unknown alert type "closed": use opened, /],
  [`${base} ntfy --set topic=x --monitors some`, /--monitors must be all or attached/],
  ['admin contacts test', /Missing argument ID/],
  ['admin contacts', /needs a command: add, list, /],
]

const failures: readonly (readonly [line: string, sentence: RegExp])[] = [
  ['admin contacts add --org nobody --name a --channel ntfy --set topic=x', /Organization "nobody" not found/],
  [`${base} gotify --set-file token=/nowhere`, /Cannot read \/nowhere: /],
  ['admin contacts show con_none', /Alert contact "con_none" not found/],
  ['admin contacts update con_none --name b', /Alert contact "con_none" not found/],
]

/** In a process of its own: the test shell reads commands from its standard input. */
async function addFromStdin(env: Env, server: string) {
  const args = ['admin', 'contacts', 'add', '--org', 'default', '--name', 'stdin', '--channel', 'gotify', '--json']
  const child = spawn(process.execPath, [program, ...args, '--set', `server=${server}`, '--set-file', 'token=-'], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(SECRET)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  return JSON.parse(output)
}

forEachEngine('pharos admin contacts', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_PRIVATE_WEBHOOKS: 'allow' })
  let service: Service
  before(async () => {
    service = await startService(() => ({ status: 200 }))
  })
  after(() => service[Symbol.asyncDispose]())

  const add = (name: string, ...more: string[]) =>
    cli.json(
      'admin contacts add --org default --channel webhook --name',
      name,
      '--set',
      `url=${service.url}/${name}`,
      ...more,
    )

  test('add, list and show never print secrets', async () => {
    const file = join(cli.workspace.folder, 'token')
    writeFileSync(file, `${SECRET}\n`)
    const created = await cli.json(
      'admin contacts add --org default --channel NTFY --name',
      'Ops phones',
      ...['--set', 'topic=ops', '--set', 'priority=4', '--set-file', `token=${file}`, '--kinds', 'opened,resolved'],
    )
    const { id, orgId, createdAt, updatedAt, ...rest } = created
    assert.match(id, /^con_[0-9a-f]{32}$/)
    assert.match(orgId, /^org_/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, {
      name: 'Ops phones',
      channel: 'NTFY',
      settings: { topic: 'ops', token: 'set', priority: 4, server: 'https://ntfy.sh' },
      kinds: ['OPENED', 'RESOLVED'],
      covers: 'ALL',
      selector: null,
      ...{ enabled: true, confirmed: true, problem: null },
      confirmationSentAt: null,
      lastSentAt: null,
      lastError: null,
      failingSince: null,
    })
    assert.deepEqual(await cli.json(`admin contacts show ${id}`), created)
    assert.deepEqual((await cli.json('admin contacts list'))[0], created)
    const list = await cli.text('admin contacts list --org default')
    const show = await cli.text(`admin contacts show ${id}`)
    assert.match(list, /^ID +CHANNEL +STATUS +LAST SENT +NAME\ncon_\w+ +ntfy +ok +never +Ops phones\n$/)
    assert.match(show, /^Channel +ntfy$/m)
    assert.match(show, /^ {2}token +set$/m)
    for (const output of [list, show, JSON.stringify(created)]) assert.ok(!output.includes('very-secret'))
    assert.match(
      await cli.text('admin contacts add --org default --name T --channel ntfy --set topic=ops'),
      /^Added T \(ntfy, con_\w+\)\. To test it, run "pharos admin contacts test con_\w+"\n$/,
    )
  })

  test('a secret can be read from standard input', async () => {
    const { id, settings } = await addFromStdin(cli.env, service.url)
    assert.equal(settings.token, 'set')
    const count = service.received.length
    assert.equal((await cli.json(`admin contacts test ${id}`)).sent, true)
    assert.equal(service.received[count]?.headers['x-gotify-key'], SECRET)
  })

  test('test sends a message immediately, and prints and stores the result', async () => {
    const { id } = await add('tested')
    assert.match(await cli.text(`admin contacts test ${id}`), /^Test message sent to tested \(webhook, con_\w+\)\n$/)
    const { body } = service.received.at(-1) ?? { body: {} }
    assert.deepEqual([body.title, body.severity], ['Test alert from Default', 'info'])
    assert.notEqual((await cli.json(`admin contacts show ${id}`)).lastSentAt, null)
    service.replies.push({ status: 403, body: 'go away' })
    const { sent, error } = JSON.parse((await cli.run('admin', 'contacts', 'test', id, '--json')).stdout)
    assert.deepEqual([sent, error], [false, 'Webhook returned HTTP 403: go away'])
    service.replies.push({ status: 403, body: 'go away' })
    const { code, stdout } = await cli.run('admin', 'contacts', 'test', id)
    assert.equal(code, 1)
    assert.match(stdout, /^Test message to tested \(webhook, con_\w+\) failed: Webhook returned HTTP 403: go away\n$/)
    const shown = await cli.json(`admin contacts show ${id}`)
    assert.equal(shown.lastError, 'Webhook returned HTTP 403: go away')
    assert.notEqual(shown.failingSince, null)
    assert.match(await cli.text('admin contacts list'), /webhook +failing/)
  })

  test('a contact is disabled, enabled, attached, detached and removed', async () => {
    const { id } = await add('short-lived', '--monitors', 'attached')
    const client = cli.server.client(BOOTSTRAP_KEY)
    const monitor = (await client.post('/monitors', { name: 'job', type: 'CRON' })).body
    assert.equal((await cli.json(`admin contacts disable ${id}`)).enabled, false)
    assert.match(await cli.text(`admin contacts enable ${id}`), /^Enabled short-lived/)
    assert.deepEqual(await cli.json(`admin contacts attach ${id} ${monitor.id}`), {
      id,
      monitorId: monitor.id,
      attached: true,
    })
    assert.match(await cli.text(`admin contacts detach ${id} ${monitor.id}`), /no longer gets alerts for mon_\w+\n$/)
    assert.match(await cli.refusal(`admin contacts attach ${id} mon_none`), /Monitor "mon_none" not found/)
    assert.match(await cli.text(`admin contacts remove ${id} --yes`), /^Removed short-lived \(webhook, con_\w+\)\n$/)
    assert.match(
      await cli.refusal(`admin contacts show ${id}`),
      /Alert contact "con_\w+" not found; run "pharos admin contacts list"/,
    )
  })
})

forEachEngine('changing alert contacts', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_PRIVATE_WEBHOOKS: 'allow' })

  test('update changes the given options only', async () => {
    await using service = await startService(() => ({ status: 200 }))
    const settings = ['--set', `url=${service.url}/before`, '--set', `token=${SECRET}`]
    const created = await cli.json('admin contacts add --org default --channel webhook --name Before', ...settings)
    const changed = await cli.json('admin contacts update', created.id, '--name', 'After', '--kinds', 'opened,resolved')
    assert.deepEqual(
      [changed.name, changed.kinds, changed.settings],
      ['After', ['OPENED', 'RESOLVED'], created.settings],
    )
    await cli.json(
      'admin contacts update',
      created.id,
      '--set',
      `url=${service.url}/after`,
      '--set',
      `token=${SECRET}`,
      '--kinds',
      'all',
    )
    await cli.json('admin contacts test', created.id)
    const { path, headers } = service.received.at(-1) as Received
    assert.deepEqual([path, headers.authorization], ['/after', `Bearer ${SECRET}`])
    const bare = await cli.json('admin contacts update', created.id, '--set', 'token=')
    assert.deepEqual([bare.settings.token, bare.kinds.length > 2], [undefined, true])
    assert.match(await cli.usageError('admin contacts update', created.id), /Nothing to change: set --name, --set/)
    assert.match(await cli.usageError('admin contacts update', created.id, '--set', 'url='), /url is required/)
  })

  test('wrong usage is answered with one sentence', async () => {
    for (const [line, sentence] of mistakes) assert.match(await cli.usageError(line), sentence, line)
    for (const [line, sentence] of failures) assert.match(await cli.refusal(line), sentence, line)
    assert.match(
      await cli.usageError('admin contacts add --org default --channel slack --name', ' '),
      /--name must have 1 to 120/,
    )
  })
})
