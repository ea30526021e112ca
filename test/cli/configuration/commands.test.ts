import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readConfiguration } from '../../../src/cli/configuration/read-files.ts'
import { CommandLine } from '../../support/command-line.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(emptyDataDir(), 'configuration')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const job = `version: 1
monitors:
  job: &job
    name: Job
    type: CRON
    graceSeconds: 120
`

describe('configuration files', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('are planned, applied and exported', async () => {
    const folder = folderWith({ 'a.yaml': job, 'b.json': '{"monitors":{"other":{"name":"Other","type":"CRON"}}}' })
    const planned = await cli.run('plan', folder, '--check')
    assert.equal(planned.code, 3)
    assert.match(planned.stdout, /^\+ monitors\.job {2}create\n\+ {5}name: "Job"\n/)
    assert.match(planned.stdout, /\n2 to create, 0 unchanged\.\n$/)
    assert.match(
      await cli.text(`apply ${folder} --yes`),
      /\nCreated:\n {2}monitors\.job {2}mon_\w+ {2}http\S+\/heartbeat\/\S+\n {2}monitors\.other {2}mon_\w+ {2}http\S+\nApplied\.\n$/,
    )
    const again = await cli.run('plan', folder, '--check')
    assert.deepEqual([again.code, again.stdout], [0, 'No changes. 2 unchanged.\n'])
    const exported = await cli.text('export')
    assert.equal(
      exported,
      `version: 1\nsource: default\nmonitors:\n  job:\n    name: Job\n    type: CRON\n    graceSeconds: 120\n  other:\n    name: Other\n    type: CRON\n`,
    )
    const { changes } = await cli.json(`plan ${folder}`)
    assert.equal(changes.length, 2)
  })

  test('of many resources are answered with all secrets and the first of the others, with --json with everything', async () => {
    const jobs = Array.from({ length: 30 }, (_, i) => [`job-${i}`, { name: `Job ${i}`, type: 'CRON' }])
    const document = (source: string) => ({
      version: 1,
      source,
      monitors: Object.fromEntries(jobs),
      webhookEndpoints: { events: { url: 'https://hooks.example/pharos' } },
    })
    const folder = folderWith({
      'a.json': JSON.stringify(document('many')),
      'b.json': JSON.stringify(document('more')),
    })
    const printed = await cli.text(`apply ${folder}/a.json --yes`)
    const [, created = ''] = printed.split('\nCreated:\n')
    const lines = created.trimEnd().split('\n')
    assert.match(lines[0] ?? '', /^ {2}webhookEndpoints\.events {2}we_\w+ {2}signing secret whsec_\S+$/)
    assert.deepEqual(lines.slice(1 + 20), [
      '  and 10 more; --json prints all',
      'Save the signing secrets now: they are not shown again.',
      'Applied.',
    ])
    writeFileSync(join(folder, 'c.json'), '{"version":1,"source":"many"}')
    assert.match(
      await cli.text(`plan ${folder}/c.json --delete`),
      /\n"pharos apply --yes" will need --confirm-deletes 30\.\n$/,
    )
    const { changes } = await cli.json(`apply ${folder}/b.json --yes`)
    assert.equal(changes.length, 31)
    for (const { kind, id, heartbeatUrl, secret } of changes) {
      assert.match(id, /^(mon|we)_/)
      assert.match(kind === 'monitors' ? heartbeatUrl : secret, /\/heartbeat\/|^whsec_/)
    }
  })

  test('have every fault reported with file, line and column', async () => {
    const faulty = `version: 1
monitors:
  web:
    name: Web
    type: HTTP
    interval: 60
  job:
    name: Job
    type: CRON
    requestHeaders:
      X.Y: "a\\nb"
    graceSecond: 5
  api:
    name: \${NAME_OF_API}
    type: HTTP
    url: \${URL_OF_API}
`
    const folder = folderWith({ 'a.yaml': faulty })
    const { code, stderr: message } = await cli.run('plan', folder)
    assert.equal(code, 1)
    const places = [...message.matchAll(/a\.yaml:(\d+:\d+) (\S+)/g)].map(([, place, path]) => `${place} ${path}`)
    assert.deepEqual(places.toSorted(), [
      '11:7 monitors.job.requestHeaders.X.Y',
      '12:5 monitors.job.graceSecond',
      '14:11 NAME_OF_API',
      '16:10 URL_OF_API',
      '3:3 monitors.web.url',
      '6:5 monitors.web.interval',
    ])
    assert.match(message, /graceSecond is not a known field; did you mean graceSeconds\?/)
  })

  test('take variables of the environment; what is not set, not YAML or given twice is a fault with its place', () => {
    const read = (files: Readonly<Record<string, string>>) => readConfiguration([folderWith(files)], { TOKEN: 'a"b' })
    const { document } = read({ 'a.yaml': `notes: "\${TOKEN} $\${TOKEN} $5"\nmonitors: {a: {<<: {name: x}}}\n` })
    assert.deepEqual(document, { notes: `a"b \${TOKEN} $5`, monitors: { a: { name: 'x' } } })
    const { problems } = read({ 'a.yaml': `a: 1\nb:\n  - \${MISSING}\n` })
    assert.match(problems.join(), /a\.yaml:3:5 MISSING is not set$/)
    assert.throws(() => read({ 'a.yaml': 'a: [1\nb: 2' }), /a\.yaml:2:\d+ /)
    const [, name, open] = read({
      'a.yaml': `a: "x\${TOKEN}"\nb: ["$\${NO-PE}", "\${NO-PE}"]\nc: y \${SHOP TOKEN}\nd: \${\n`,
    }).problems
    assert.match(name ?? '', /a\.yaml:3:4 \$\{SHOP TOKEN\} is not a variable name; write \$\$\{ for a literal \$\{$/)
    assert.match(open ?? '', /a\.yaml:4:4 \$\{ has no closing brace; write \$\$\{ for a literal \$\{$/)
    const twice = read({ 'a.yaml': `source: a\n${job}`, 'b.yaml': `source: b\n${job}` }).problems.join()
    assert.match(twice, /b\.yaml:1:1 source is different in another file/)
    assert.match(twice, /b\.yaml:4:3 monitors\.job is also in another file/)
  })

  test('may have many aliases; one without an anchor is a fault with its place', () => {
    const read = (text: string) => readConfiguration([folderWith({ 'a.yaml': text })], {})
    const keys = Array.from({ length: 500 }, (_, i) => `  job-${i}: *job\n`)
    const { monitors } = read(`${job}${keys.join('')}`).document as { monitors: Record<string, unknown> }
    assert.equal(Object.keys(monitors).length, 501)
    assert.deepEqual(monitors['job-499'], monitors.job)
    assert.throws(
      () => read('a: 1\nb: *c\nd: *e\nc: &c 1\n'),
      /2:4 \*c has no &c before it\n.*3:4 \*e has no &e before/,
    )
    assert.throws(() => read('a: 1\nb: {<<: 5}\n'), /a\.yaml Merge sources must be maps/)
  })
})
