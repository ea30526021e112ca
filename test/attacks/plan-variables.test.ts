import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { emptyDataDir } from '../support/sqlite.ts'

const secrets = {
  BOT_TOKEN: 'glpat-3f9Q-secret-of-ci',
  OLD_TOKEN: 'glpat-77aa-earlier-token',
  HEX_TOKEN: '9f86d081884c7d659a2f',
  SHORT: '7',
}

/** Everything that a member of the project may write into a merge request to make the plan, posted as a comment, show a variable. */
const document = (token: string) => `version: 1
source: ci
defaults:
  monitors: { notes: { text: "\${${token}}" } }
monitors:
  web:
    name: Web 7
    type: HTTP
    url: https://shop.example.com/?token=\${${token}}&page=7
    intervalSeconds: 60
    labels: &labels { token: "\${${token}}", digit: "\${SHORT}", team: shop }
    requestHeaders: { Accept: "\${${token}}", Accept-Language: de }
    assertions:
      - { source: BODY, operator: CONTAINS, value: "x \${${token}}" }
  other: { name: Other, type: CRON, labels: *labels }
contacts:
  ops: { name: "\${${token}}", channel: WEBHOOK, settings: { url: "https://a.example/" }, selector: "team = \${${token}}", covers: LABELS }
statusPages:
  main:
    name: Shop
    customDomain: \${${token}}.EXAMPLE.com
    sections:
      - { name: Literal }
      - { name: "\${${token}}" }
maintenanceWindows:
  sunday: { name: Updates, description: "\${${token}}", startsAt: 2026-01-04T02:00Z, endsAt: 2026-01-04T03:00Z, recurrence: WEEKLY, monitors: [web] }
webhookEndpoints:
  events: { url: "https://\${${token}}.example/", description: "Events \${${token}}" }
`

describe('what the command line prints about a document has no value of an environment variable', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })
  const folder = emptyDataDir()

  function fileWith(text: string): string {
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'pharos.yaml')
    writeFileSync(path, text)
    return path
  }

  async function run(...args: string[]) {
    const { code, stdout, stderr } = await cli.runWith(secrets, ...args)
    const printed = `${stdout}${stderr}`
    for (const [name, value] of Object.entries(secrets)) {
      if (name !== 'SHORT') assert.ok(!printed.toLowerCase().includes(value), `${args[0]} shows ${name}: ${printed}`)
    }
    return { code, stdout, stderr }
  }

  test('in a plan of new, of changed and of rotated values, as text and as JSON, and in what was applied', async () => {
    const path = fileWith(document('OLD_TOKEN'))
    const { code, stdout, stderr } = await run('plan', path)
    assert.equal(code, 0, stderr)
    const line = (field: string) =>
      stdout
        .split('\n')
        .find((one) => one.includes(` ${field}: `))
        ?.trim()
    assert.equal(line('name'), '+     name: "Web 7"', 'a short value hides nothing else')
    assert.equal(line('url'), '+     url: "https://shop.example.com/?token=(OLD_TOKEN)&page=7"')
    assert.equal(line('labels'), '+     labels: {"token":"(OLD_TOKEN)","digit":"(SHORT)","team":"shop"}')
    assert.equal(line('notes'), '+     notes: {"text":"(OLD_TOKEN)"}', 'a default')
    assert.match(String(line('sections')), /\{"name":"Literal"\},\{"name":"\(OLD_TOKEN\)"\}/)
    // The server has changed the text.
    assert.equal(line('customDomain'), '+     customDomain: "(hidden)"')
    const applied = await run('apply', path, '--yes', '--json')
    const { changes } = JSON.parse(applied.stdout)
    const web = changes.find(({ key }: { key: string }) => key === 'web')
    assert.equal(
      web.fields.find((one: { path: string }) => one.path === 'url').after,
      'https://shop.example.com/?token=(OLD_TOKEN)&page=7',
    )
    // What is stored is the value of before, which is valid until the plan is applied.
    const rotated = await run('plan', fileWith(document('BOT_TOKEN')))
    assert.match(rotated.stdout, /url: "\(hidden\)" → "https:\/\/shop\.example\.com\/\?token=\(BOT_TOKEN\)&page=7"\n/)
    assert.match(rotated.stdout, /labels\.token: "\(hidden\)" → "\(BOT_TOKEN\)"\n/)
    await run('plan', path, '--json')
    const confirmed = await run('apply', path, '--yes')
    assert.match(confirmed.stdout, /\nApplied\.\n$/)
  })

  test('where a variable is taken out of a field and is still used elsewhere', async () => {
    const before = (notes: string) =>
      `version: 1\nsource: moved\nmonitors:\n  job: { name: Job, type: CRON, notes: { text: "\${BOT_TOKEN}", runbookUrl: ${notes} } }\n`
    const path = fileWith(before(`"https://wiki.example/\${BOT_TOKEN}"`))
    await run('apply', path, '--yes')
    const { stdout } = await run('plan', fileWith(before('https://wiki.example/')))
    assert.match(stdout, /notes\.runbookUrl: "https:\/\/wiki\.example\/\(BOT_TOKEN\)" → "https:\/\/wiki\.example\/"\n/)
  })

  test('in faults that quote a value, or the beginning of one', async () => {
    const faulty = `version: 1
source: faulty
monitors: { job: { name: Job, type: CRON, schedule: { cron: "\${BOT_TOKEN} * * * *" } } }
contacts:
  ops: { name: Ops, channel: EMAIL, settings: { address: a@b.example }, covers: CHOSEN, monitors: ["\${BOT_TOKEN}", "\${HEX_TOKEN}"] }
statusPages:
  main: { name: Main, sections: [{ name: All, selector: "team=x \${BOT_TOKEN}\${BOT_TOKEN}\${BOT_TOKEN}" }] }
`
    const { code, stderr } = await run('plan', fileWith(faulty))
    assert.equal(code, 1)
    assert.match(
      stderr,
      /pharos\.yaml:5:\d+ contacts\.ops\.monitors\.0 is not a monitor of this document: \(BOT_TOKEN\)\n/,
    )
    assert.match(stderr, /sections\.0\.selector is not a valid selector: .*found "\(BOT_TOKEN\)/)
    assert.match(stderr, /schedule/)
  })

  test('settings of Pharos cannot be used, and are not sent', async () => {
    const path = fileWith(`version: 1
monitors:
  job:
    name: Job
    type: CRON
    notes: { text: "key: \${PHAROS_API_KEY}", runbookUrl: "https://a.example/\${BOT_TOKEN}" }
    labels: { a: "\${Pharos_Url}" }
`)
    const { code, stderr } = await cli.runWith({ ...secrets, PHAROS_ROLES: '' }, 'plan', path)
    assert.equal(code, 1)
    assert.match(stderr, /pharos\.yaml:6:20 PHAROS_API_KEY is a setting of Pharos: use a variable with another name\n/)
    assert.match(stderr, /pharos\.yaml:7:18 Pharos_Url is a setting of Pharos: /)
    assert.ok(!stderr.includes(String(cli.env.PHAROS_BOOTSTRAP_KEY)))
  })

  test('of a configuration of another tool that is imported and applied', async () => {
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'config.yaml')
    const config = (name: string) =>
      `endpoints:\n  - { name: shop, url: "https://shop.example/?\${${name}}", conditions: ["[STATUS] == 200"] }\n`
    writeFileSync(path, config('BOT_TOKEN'))
    const { stdout } = await run('import', 'gatus', path, '--apply', '--yes')
    assert.match(stdout, /url: "https:\/\/shop\.example\/\?\(BOT_TOKEN\)"\n/)
    writeFileSync(path, config('PHAROS_API_KEY'))
    const { code, stderr } = await run('import', 'gatus', path, '--apply', '--yes')
    assert.equal(code, 1)
    assert.match(stderr, /pharos: PHAROS_API_KEY is a setting of Pharos/)
  })
})
