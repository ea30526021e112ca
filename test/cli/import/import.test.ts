import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CommandLine } from '../../support/command-line.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

const config = `
alerting:
  slack: { webhook-url: "https://hooks.slack.com/services/FAKE" }
endpoints:
  - { name: shop, group: web, url: "https://shop.example/", conditions: ["[STATUS] == 200", "[IP] == 192.0.2.1"], alerts: [{ type: slack }] }
  - { name: cost, group: web, url: "https://shop.example/", body: "$\${EUR}", conditions: ["[STATUS] == 200"] }
  - { name: flow, url: "sctp://shop.example:1", conditions: ["[CONNECTED] == true"] }
`

describe('pharos import', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })
  const folder = emptyDataDir()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('config.yaml'), config)

  test('writes a private document that plan and apply take, and a report', async () => {
    writeFileSync(at('pharos.yaml'), 'old', { mode: 0o644 })
    const { code, stdout, stderr } = await cli.run(
      ...['import', 'gatus', at('config.yaml'), '-o', at('pharos.yaml'), '--report', at('report.md')],
    )
    assert.deepEqual([code, stdout], [0, ''], stderr)
    assert.equal(statSync(at('pharos.yaml')).mode & 0o777, 0o600)
    assert.match(stderr, /^Gatus: 3 imported, 1 with losses, 1 not supported\n/)
    assert.match(stderr, /pharos apply .*pharos\.yaml\n {2}pharos import finish gatus/)
    assert.match(
      readFileSync(at('report.md'), 'utf8'),
      /endpoint `web_shop` shop → `monitors\.web-shop`\n {2}- The condition/,
    )
    assert.match(await cli.text(`apply ${at('pharos.yaml')} --yes`), /\nApplied\.\n$/)
    const again = await cli.run('import', 'gatus', at('config.yaml'), '--apply', '--yes')
    assert.deepEqual([again.code, again.stdout], [0, 'No changes. 4 unchanged.\n'])
    const { data } = await cli.json('monitors list')
    const cost = data.find(({ name }: { name: string }) => name === 'cost')
    assert.equal(cost.requestBody, `\${EUR}`)
  })

  test('creates contacts disabled and mutes monitors; finish enables and unmutes them once', async () => {
    await cli.run('import', 'gatus', at('config.yaml'), '--apply', '--yes')
    const enabled = async () => (await cli.json('contacts list')).data.map((one: { enabled: boolean }) => one.enabled)
    assert.deepEqual(await enabled(), [false])
    assert.equal(await cli.text('import finish gatus'), 'Enabled 1 contact, unmuted 2 monitors.\n')
    assert.deepEqual(await enabled(), [true])
    assert.deepEqual(await cli.json('import finish gatus'), { enabledContacts: 0, unmutedMonitors: 0 })
    const again = await cli.run('import', 'gatus', at('config.yaml'), '--apply', '--yes')
    assert.equal(again.stdout, 'No changes. 4 unchanged.\n')
    assert.deepEqual(await enabled(), [true])
  })

  test('keeps the monitor of a check that was renamed in the other tool', async () => {
    const uuid = '82d1c55c-aba1-4968-a08c-b108ad9597ca'
    for (const name of ['Backup', 'Nightly backup']) {
      writeFileSync(at('checks.json'), JSON.stringify({ checks: [{ uuid, name, grace: 600, timeout: 3600 }] }))
      const { code, stderr } = await cli.run('import', 'healthchecks', at('checks.json'), '--apply', '--yes')
      assert.equal(code, 0, stderr)
    }
    const { data } = await cli.json('monitors list')
    const names = data.map(({ name }: { name: string }) => name)
    assert.deepEqual([names.includes('Backup'), names.includes('Nightly backup')], [false, true])
  })

  test('prints the document, or everything as JSON', async () => {
    const { stdout } = await cli.run('import', 'gatus', at('config.yaml'))
    assert.match(
      stdout,
      /^version: 1\nsource: import-gatus\ndefaults:\n {2}monitors:\n {4}mutedAtFirst: true\nmonitors:\n {2}web-shop:\n/,
    )
    const loud = await cli.run('import', 'gatus', at('config.yaml'), '--alert-now')
    assert.match(loud.stdout, /^version: 1\nsource: import-gatus\nmonitors:\n {2}web-shop:\n/)
    const { stdout: json } = await cli.run('import', 'gatus', at('config.yaml'), '--json')
    const { document, objects } = JSON.parse(json)
    assert.deepEqual([document.version, objects.length], [1, 5])
  })

  test('applies the rest without what the server refuses, and reports it', async () => {
    const refused = `
alerting:
  pushover: { application-token: "\${APP_TOKEN}", user-key: short }
  slack: { webhook-url: "https://hooks.slack.com/services/FAKE" }
  discord: { webhook-url: "\${HOOK}" }
endpoints:
  - { name: web, group: rest, url: "https://shop.example/", conditions: ["[STATUS] == 200"], alerts: [{ type: slack }, { type: discord }] }
`
    writeFileSync(at('refused.yaml'), refused)
    const [hook, report] = ['not-a-secret-address', at('refused.md')]
    const { code, stdout, stderr } = await cli.runWith(
      { HOOK: hook },
      ...['import', 'gatus', at('refused.yaml'), '--apply', '--yes', '--report', report],
    )
    assert.equal(code, 0, stderr)
    assert.match(stderr, /\npharos: contacts\.discord is left out: settings\.webhookUrl is not a valid URL\n/)
    assert.match(stdout, /\+ monitors\.rest-web {2}create\n/)
    assert.equal(`${stdout}${stderr}${readFileSync(report, 'utf8')}`.includes(hook), false)
    const [, notSupported = ''] = readFileSync(report, 'utf8').split('\n## Not supported\n')
    assert.match(notSupported, /pushover.*user key must be 30 letters and digits/)
    assert.match(notSupported, /discord.*webhookUrl is not a valid URL/)
    // What exists would be released if it were left out.
    writeFileSync(at('known.yaml'), refused.replace('https://hooks.slack.com/services/FAKE', `\${HOOK}`))
    const again = await cli.runWith({ HOOK: hook }, 'import', 'gatus', at('known.yaml'), '--apply', '--yes')
    assert.equal(again.code, 1)
    assert.match(again.stderr, /contacts\.slack\.settings\.webhookUrl is not a valid URL/)
    assert.equal((await cli.run('import', 'gatus', at('config.yaml'), '--apply', '--yes')).code, 0)
  })

  test('says what is wrong: source, file, variable', async () => {
    assert.match(await cli.usageError('import nagios a.cfg'), /SOURCE must be one of .*gatus/)
    assert.match(await cli.usageError('import kuma kuma.db --history'), /pharos import-history kuma FILE/)
    assert.match(await cli.refusal(`import-history kuma ${at('config.yaml')}`), /neither a kuma\.db nor a dump/)
    assert.match(await cli.refusal('import gatus missing.yaml'), /missing\.yaml does not exist/)
    const wrong = await cli.refusal(`import healthchecks ${at('config.yaml')}`)
    assert.match(wrong, /config\.yaml is not JSON\. Expected for Healthchecks: answers of its API/)
    const secret = `alerting: { slack: { webhook-url: "\${HOOK}" } }\n`
    writeFileSync(at('variable.yaml'), secret)
    const { code, stderr } = await cli.run('import', 'gatus', at('variable.yaml'), '--apply', '--yes')
    assert.equal(code, 1)
    assert.match(stderr, /Set these variables before you apply it: HOOK\n(.*\n)*pharos: HOOK is not set/)
  })
})
