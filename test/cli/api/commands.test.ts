import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resources } from '../../../clients/typescript/src/resources.ts'
import { apiCommands } from '../../../src/cli/api/commands.ts'
import { commandHelp } from '../../../src/cli/help.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { CommandLine } from '../../support/command-line.ts'
import { closedPort } from '../../support/ports.ts'

test('every operation is a command', () => {
  const methods = Object.values(resources).flatMap((resource) => Object.keys(resource))
  const uploads = operations.filter(({ isUpload }) => isUpload === true)
  assert.equal(apiCommands.length, methods.length - uploads.length)
  assert.equal(apiCommands.length, operations.length - uploads.length)
  assert.equal(new Set(apiCommands.map(({ name }) => name)).size, apiCommands.length)
})

test('every command has a help with examples, and no two options of the same name', async () => {
  for (const command of apiCommands) {
    const { name, options = {} } = command
    assert.match(await commandHelp(command), new RegExp(`^Examples:\n {2}pharos ${name}\\b`, 'm'), name)
    assert.ok(!('json' in options) && !('help' in options), name)
  }
})

describe('commands over the API', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('create, read, change and delete monitors', async () => {
    const port = `${await closedPort()}`
    const created = await cli.json('monitors create --host 127.0.0.1 --type port --port', port, '--name', 'Shop 1')
    assert.deepEqual(
      [created.name, created.type, created.port, created.state],
      ['Shop 1', 'PORT', Number(port), 'PENDING'],
    )
    const { id } = created
    const api = cli.server.client()
    assert.deepEqual(await cli.json(`monitors get ${id}`), (await api.get(`/monitors/${id}`)).body)
    assert.deepEqual(await cli.json('monitors list'), (await api.get('/monitors')).body)
    const changed = await cli.json(
      `monitors update --interval-seconds 60 --no-verify-ssl ${id} --expected-status 200,204 --expected-status 301`,
      '--request-headers',
      'Accept: text/html; q=0.5',
      '--request-headers=X-Team=web',
    )
    assert.deepEqual([changed.intervalSeconds, changed.verifySsl], [60, false])
    assert.deepEqual(changed.expectedStatus, [200, 204, 301])
    assert.deepEqual(changed.requestHeaders, { Accept: 'text/html; q=0.5', 'X-Team': 'web' })
    assert.equal((await cli.json(`monitors update ${id} --no-request-headers`)).requestHeaders, null)
    assert.equal(await cli.text(`monitors pause ${id}`), `Paused Shop 1 (${id})\nState:  Paused\n`)
    assert.equal(await cli.text(`monitors resume ${id}`), `Resumed Shop 1 (${id})\nState:  Pending\n`)
    assert.equal(await cli.text(`monitors check ${id}`), `Checked Shop 1 (${id})\nState:  Down\n`)
    const list = await cli.text('monitors list')
    assert.match(list, /^ID +STATE +NAME +TYPE +RESPONSE +LAST CHECK +TARGET\n/)
    assert.match(list, new RegExp(`^${id} +Down +Shop 1 +Port .* 127\\.0\\.0\\.1:${port}$`, 'm'))
    assert.match(await cli.text(`monitors get ${id}`), /^Interval: +60 s$/m)
    const [incident] = (await cli.json('incidents list --status ongoing --started-after -1h')).data
    assert.match(await cli.text('incidents list'), new RegExp(`^${incident.id} +Ongoing +Shop 1 .* no +\\S`, 'm'))
    const sentence = await cli.text(`incidents acknowledge ${incident.id}`)
    assert.equal(sentence, `Acknowledged the incident of Shop 1 (${incident.id})\n`)
    assert.match(await cli.text(`incidents get ${incident.id}`), /^Monitor: +Shop 1$[\s\S]*^Timeline:\n {2}\S/m)
    assert.equal(await cli.text(`monitors delete ${id} --yes`), `Deleted ${id}\n`)
    assert.deepEqual((await cli.json('monitors list --all')).data, [])
    assert.equal(await cli.text('monitors list'), 'No monitors found\n')
    assert.equal(await cli.text('published list'), 'No published incidents found\n')
    assert.equal(await cli.text('labels list-values team'), 'No values found\n')
    assert.equal(await cli.text('monitors monitor-list'), 'No monitors found\n')
  })

  test('show a heartbeat URL and signing secrets when they are created', async () => {
    assert.match(await cli.text('monitors create --type cron --name Job'), /^Heartbeat URL: +http\S+$/m)
    const text = await cli.text(
      'webhooks create --url https://hooks.example/a --event-types incident.opened,monitor.paused',
    )
    assert.match(text, /^Created https:\/\/hooks\.example\/a \(we_\w+\)\nSecret: +whsec_\S+\nSave the secret now/)
    const [endpoint] = (await cli.json('webhooks list --enabled')).data
    assert.deepEqual(endpoint.eventTypes, ['incident.opened', 'monitor.paused'])
    assert.match(await cli.text('webhooks list'), /incident\.opened, monitor\.paused +https:\/\/hooks/)
    assert.match(await cli.text(`webhooks rotate-secret ${endpoint.id}`), /^Secret: +whsec_/m)
    assert.equal((await cli.json(`webhooks get ${endpoint.id}`)).id, endpoint.id)
    assert.match(await cli.text(`webhooks test ${endpoint.id}`), /^Queued the test event webhook\.test \(\w+\)\n/)
    const [delivery] = (await cli.json(`deliveries list --endpoint-id ${endpoint.id}`)).data
    assert.match(await cli.text('deliveries list --status pending'), /Pending +webhook\.test +0 /)
    assert.equal((await cli.json(`deliveries get ${delivery.id}`)).payload.type, 'webhook.test')
    assert.match(await cli.text(`deliveries retry ${delivery.id}`), /^Retrying webhook\.test /)
    assert.equal((await cli.json(`webhooks update ${endpoint.id} --no-enabled`)).enabled, false)
    assert.equal((await cli.json(`webhooks delete ${endpoint.id} --yes`)).data.id, endpoint.id)
  })

  test('manage pages, published incidents and windows', async () => {
    const { id: monitorId } = await cli.json('monitors create --type cron --name Job')
    const sections = JSON.stringify([{ name: 'All', monitors: [{ monitorId }] }])
    const page = await cli.json('pages create --theme dark --name', 'My page', '--sections', sections)
    assert.deepEqual([page.theme, page.sections[0].monitors[0].monitorId], ['DARK', monitorId])
    assert.match(await cli.text('pages list'), new RegExp(`^${page.id} +\\S.* yes +My page +http\\S+$`, 'm'))
    assert.match(await cli.text(`pages get ${page.id}`), /^Sections:\n {2}\S/m)
    assert.match(await cli.text(`pages update ${page.id} --description Hi`), /^Updated My page \(.*\)\nURL: +http/)
    const published = await cli.json(
      `published create --status-page-ids ${page.id} --no-notify-subscribers --title Slow --message`,
      'We are looking',
    )
    assert.equal(published.impact, 'MINOR')
    const posted = await cli.text(`published post-update ${published.id} --status resolved --message Fixed`)
    assert.equal(posted, `Posted an update to Slow (${published.id})\nStatus:  Resolved\n`)
    assert.equal((await cli.json(`published update ${published.id} --impact major`)).impact, 'MAJOR')
    assert.match(await cli.text('published list'), /Resolved +Major .* Slow$/m)
    assert.equal((await cli.json(`published get ${published.id}`)).updates.length, 2)
    await cli.text(`published delete ${published.id} --yes`)
    const window = await cli.json('windows create --name Upgrade --starts-at +1h --ends-at +3h --all-monitors')
    assert.equal(Date.parse(window.endsAt) - Date.parse(window.startsAt), 7_200_000)
    assert.match(await cli.text('windows list --status scheduled'), /Scheduled .* no +Upgrade$/m)
    assert.match(await cli.text(`windows get ${window.id}`), /^All monitors: +yes$/m)
    assert.equal(
      (await cli.json(`windows update ${window.id} --recurrence weekly --days-of-week 1,5`)).recurrence,
      'WEEKLY',
    )
    for (const line of [`windows delete ${window.id}`, `pages delete ${page.id}`, `monitors delete ${monitorId}`]) {
      await cli.text(`${line} --yes`)
    }
  })
})

describe('contacts over the API', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api', PHAROS_PRIVATE_WEBHOOKS: 'allow' })

  test('the test of a contact says whether the message was sent, and fails if it was not', async () => {
    const settings = JSON.stringify({ url: `http://127.0.0.1:${await closedPort()}/` })
    const { id } = await cli.json('contacts create --name Bot --channel webhook --settings', settings)
    const { code, stdout, stderr } = await cli.run('contacts', 'test', id)
    assert.deepEqual([code, stderr], [1, ''])
    assert.match(stdout, /^Test message not sent: \S.+\n$/)
  })
})
