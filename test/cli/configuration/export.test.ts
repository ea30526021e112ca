import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CommandLine } from '../../support/command-line.ts'
import { openShell } from '../../support/pharos-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-export-'))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const job = (source: string, name: string) => `version: 1
source: ${source}
monitors:
  job:
    name: ${name}
    type: CRON
`

describe('pharos export', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('names what it leaves out, prints one source or all of them, and --all is applied elsewhere as it is', async () => {
    for (const source of ['one', 'two']) {
      await cli.text(`apply ${file(`${source}.yaml`, job(source, `Job of ${source}`))} --yes`)
    }
    const window = `version: 1\nsource: two\nmaintenanceWindows:\n  night:\n    name: Night\n    startsAt: 2027-01-01T01:00Z
    endsAt: 2027-01-01T02:00Z\n    monitors: [job]\n`
    await cli.text(`apply ${file('two.yaml', `${job('two', 'Job of two')}${window.replace(/^.*\n.*\n/, '')}`)} --yes`)
    await cli.text('monitors create --type cron --name Loose')
    const part = await cli.run('export')
    assert.deepEqual(
      [part.code, part.stderr],
      [0, 'pharos: left out 3 resources of 2 other sources: one (1), two (2). Use --source NAME, or --all for all.\n'],
    )
    assert.match(part.stdout, /^version: 1\nsource: default\nmonitors:\n {2}loose:/)
    assert.equal(await cli.text('export --source one'), job('one', 'Job of one'))
    const unknown = await cli.refusal('export --source tow')
    assert.equal(unknown, 'No source "tow" manages a resource. Did you mean "two"? Run "pharos sources" to see all')
    assert.match(await cli.usageError('export --source one --all'), /^Use --source or --all, not both/)
    const all = await cli.json('export --all')
    assert.deepEqual(Object.keys(all.monitors), ['job', 'job-2', 'loose'])
    assert.deepEqual(all.maintenanceWindows.night.monitors, ['job-2'])
    const path = file('all.yaml', await cli.text('export --all'))
    const { key } = await cli.json(
      `keys create --access full --org ${(await cli.json('orgs create --name Other --plan pro')).slug}`,
    )
    const other = { PHAROS_API_KEY: key }
    assert.equal((await cli.runWith(other, 'apply', path, '--yes')).code, 0)
    assert.deepEqual(JSON.parse((await cli.runWith(other, 'export', '--json')).stdout), all)
  })

  test('sources are listed with what they manage', async () => {
    const { sources, unmanaged } = await cli.json('sources')
    assert.deepEqual(
      sources.map((each: Record<string, unknown>) => [each.source, each.monitors, each.maintenanceWindows]),
      [
        ['one', 1, 0],
        ['two', 1, 1],
      ],
    )
    assert.equal(unmanaged.monitors, 1)
    const text = await cli.text('sources')
    assert.match(text, /^SOURCE +MONITORS +CONTACTS +STATUS PAGES +WINDOWS +WEBHOOKS\none +1 +0/)
    assert.match(text, /^\(no file\) +1 +0 +0 +0 +0$/m)
  })
})

test('pharos validate checks files without a server or a key', async () => {
  await using shell = openShell({ PHAROS_URL: 'http://127.0.0.1:9' })
  const valid = file(
    'valid.yaml',
    `version: 1
monitors:
  api: { name: "\${API_NAME}", type: HTTP, url: https://api.example, intervalSeconds: 60 }
contacts:
  ops: { name: Ops, channel: SLACK, settings: { webhookUrl: "\${SLACK_URL}" } }
maintenanceWindows:
  night: { name: N, startsAt: 2027-01-01T01:00Z, endsAt: 2027-01-01T02:00Z, monitors: [api, other-source/db] }
`,
  )
  const good = await shell.run('validate', valid)
  const text = 'The configuration is valid. Not checked, because they are not set: API_NAME, SLACK_URL.\n'
  assert.deepEqual(good, { code: 0, stdout: text, stderr: '' })
  const faulty = file(
    'faulty.yaml',
    `version: 1
monitors:
  api: { name: Api, type: HTPP, url: https://api.example }
  web: { name: Web, type: HTTP, url: https://web.example, interval: 60 }
maintenanceWindows:
  night: { name: N, startsAt: 2027-01-01T01:00Z, endsAt: 2027-01-01T02:00Z, monitors: [wbe] }
`,
  )
  const { code, stdout, stderr } = await shell.run('validate', faulty)
  assert.deepEqual([code, stdout], [1, ''])
  const [first, ...problems] = stderr.trim().split('\n')
  assert.equal(first, 'pharos: 3 problems:')
  assert.match(problems[0] ?? '', /faulty\.yaml:3:\d+ monitors\.api\.type must be one of/)
  assert.match(problems[1] ?? '', /faulty\.yaml:4:\d+ monitors\.web\.interval is not a known field/)
  assert.match(problems[2] ?? '', /faulty\.yaml:6:\d+ .*is not a monitor of this document: wbe$/)
})
