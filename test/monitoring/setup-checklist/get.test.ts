import assert from 'node:assert/strict'
import { test } from 'node:test'
import { q, run, statement } from '../../../src/storage/query.ts'
import { setMonitorState } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { makeMonitor, useInstallation } from '../../support/person.ts'

const nothing = {
  dismissed: false,
  contact: false,
  unconfirmed: null,
  failing: null,
  testSent: false,
  testable: null,
  statusPage: false,
  invited: false,
}

const sent = statement(({ id }: { id: string }) =>
  q.updateTable('contacts').set({ last_sent_at: 1 }).where('id', '=', id),
)

forEachEngine('the setup checklist', (engine) => {
  const installation = useInstallation(engine)
  const checklist = async () => (await installation.owner.get('/setup-checklist')).body

  test('follows what the organization has', async () => {
    const { owner, server } = installation
    assert.deepEqual(await checklist(), nothing)
    const address = { address: 'somebody@example.net' }
    const mail = (await owner.post('/v1/contacts', { name: 'Mail', channel: 'EMAIL', settings: address })).body
    assert.deepEqual(await checklist(), { ...nothing, failing: { id: mail.id, name: 'Mail' } }, 'no mail server')
    const settings = { url: 'https://hooks.example/alerts' }
    const hook = (await owner.post('/v1/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })).body
    const done = { ...nothing, contact: true, testable: { id: hook.id, name: 'Hook' } }
    assert.deepEqual(await checklist(), done)
    await server.running.database.write(() => run(sent, { id: hook.id }))
    assert.equal((await owner.post('/v1/status-pages', { name: 'Status' })).status, 201)
    assert.equal((await owner.post('/invitations', { role: 'VIEWER' })).status, 201)
    assert.deepEqual(await checklist(), { ...done, testSent: true, statusPage: true, invited: true })
  })

  test('is hidden for everybody, and can be shown again', async () => {
    const { owner } = installation
    assert.equal((await owner.post('/setup-checklist/dismiss', { dismissed: true })).body.dismissed, true)
    assert.equal((await owner.post('/setup-checklist/dismiss', { dismissed: true })).status, 200)
    assert.equal((await checklist()).dismissed, true)
    assert.equal((await owner.post('/setup-checklist/dismiss', { dismissed: false })).body.dismissed, false)
    assert.equal((await owner.post('/setup-checklist/dismiss', {})).status, 400)
  })

  test('the wall board lists the most urgent monitors first', async () => {
    const { owner, server } = installation
    const at = Date.UTC(2026, 0, 5)
    for (const [name, state] of [
      ['up', 'UP'],
      ['paused', 'PAUSED'],
      ['down', 'DOWN'],
    ] as const) {
      await setMonitorState(server, await makeMonitor(installation, name), state, at)
    }
    const { data, counts } = (await owner.get('/v1/wall-board')).body
    assert.deepEqual(
      data.map(({ name, state, since }: { name: string; state: string; since: string | null }) => [name, state, since]),
      [
        ['down', 'DOWN', new Date(at).toISOString()],
        ['up', 'UP', null],
        ['paused', 'PAUSED', null],
      ],
    )
    assert.deepEqual([counts.down, counts.up, counts.paused, counts.total], [1, 1, 1, 3])
    const labels = { team: 'shop' }
    await owner.put(`/v1/monitors/${data[1].id}/labels`, { labels })
    const labelled = (await owner.get('/v1/wall-board?labels=team%3Dshop')).body
    assert.deepEqual([labelled.data.length, labelled.data[0]?.name, labelled.counts.total], [1, 'up', 1])
    assert.equal((await owner.get('/v1/wall-board?labels=,')).status, 400)
  })
})
