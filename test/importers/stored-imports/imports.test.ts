import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { without } from '../../../src/importers/stored-imports/choose.ts'
import { parseFileList } from '../../../src/importers/stored-imports/receive-files.ts'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { emptyDataDir } from '../../support/sqlite.ts'
import { checks, upload, uploadChecks } from './upload.ts'

const channels = Buffer.from(JSON.stringify({ channels: [{ id: 'a', name: 'Phone', kind: 'sms' }] }))

function renaming(api: Api): void {
  test('the same file again changes nothing, and what was renamed in the other tool is renamed, not doubled', async () => {
    const { key, client } = await api.tenant()
    const check = { uuid: '82d1c55c-aba1-4968-a08c-b108ad9597ca', grace: 600, timeout: 3600 }
    for (const [name, create, update] of [
      ['Backup', 1, 0],
      ['Backup', 0, 0],
      ['Nightly backup', 0, 1],
    ] as const) {
      const content = Buffer.from(JSON.stringify({ checks: [{ ...check, name }] }))
      const { body } = await upload({ url: api.server.url, key }, 'source=healthchecks', content)
      const [object] = (await client.get(`/imports/${body.id}`)).body.objects
      assert.deepEqual([object.keepsAddress, object.needsNewAddress], [true, false])
      const { planId, summary } = (await client.post(`/imports/${body.id}/plan`)).body
      assert.deepEqual([summary.create, summary.update], [create, update])
      assert.equal((await client.post(`/imports/${body.id}/apply`, { planId })).status, 200)
    }
    const { data } = (await client.get('/monitors')).body
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['Nightly backup'],
    )
  })
}

forEachEngine('imports', (engine) => {
  const dataDir = emptyDataDir()
  const api = useApi(engine, { dataDir })

  const uploads = () => (existsSync(`${dataDir}/uploads`) ? readdirSync(`${dataDir}/uploads`) : [])

  test('files become a report, a plan of what was chosen, and resources with the report beside them', async () => {
    const { key, client } = await api.tenant()
    const files = `checks.json:${checks.length},channels.json:${channels.length}`
    const { status, body } = await upload(
      { url: api.server.url, key },
      `source=healthchecks&files=${files}`,
      Buffer.concat([checks, channels]),
    )
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(body.counts, { mapped: 0, mappedWithLosses: 2, notSupported: 2, notMonitors: 0 })
    assert.deepEqual(body.files, [
      { name: 'checks.json', bytes: checks.length },
      { name: 'channels.json', bytes: channels.length },
    ])
    assert.deepEqual(uploads(), [], 'the files are deleted')
    assert.equal((await client.get('/monitors')).body.pagination.total, 0, 'nothing was created')

    const path = `/imports/${body.id}`
    const backup = (await client.get(path)).body.objects.find(({ name }: { name: string }) => name === 'Backup')
    assert.equal(backup.resourceId, null)
    assert.deepEqual([backup.keepsAddress, backup.needsNewAddress], [false, true])
    const all = await client.post(`${path}/plan`)
    assert.equal(all.body.summary.create, 2, JSON.stringify(all.body))
    const chosen = await client.post(`${path}/plan`, { keys: [backup.key] })
    assert.equal(chosen.body.summary.create, 1)
    const other = await client.post('/configuration/plan', { document: { version: 1 } })
    const refused = await client.post(`${path}/apply`, { planId: other.body.planId })
    assert.equal(refused.status, 409, 'the plan is not one of this import')
    const applied = await client.post(`${path}/apply`, { planId: chosen.body.planId })
    assert.equal(applied.status, 200, JSON.stringify(applied.body))
    const { data } = (await client.get('/monitors')).body
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['Backup'],
    )
    assert.notEqual((await client.get(`/monitors/${data[0].id}/mute`)).body.until, null)

    const report = (await client.get(path)).body
    assert.equal(report.expiresAt, null)
    assert.equal(report.objects.find(({ name }: { name: string }) => name === 'Backup').resourceId, data[0].id)
    assert.equal((await client.post(`${path}/plan`)).status, 409, 'the document is gone')
    assert.equal((await client.get('/imports')).body.data[0].id, body.id)
    assert.equal((await client.delete(path)).status, 200)
    assert.equal((await client.get(path)).status, 404)
  })

  test('read-only keys see imports and upload none; other organizations see none', async () => {
    const [mine, other] = [await api.tenant(), await api.tenant()]
    const body = await uploadChecks({ url: api.server.url, key: mine.key })
    const reader = await mine.reader()
    assert.equal((await reader.get(`/imports/${body.id}`)).status, 200)
    assert.equal((await reader.post(`/imports/${body.id}/plan`)).status, 403)
    assert.equal((await other.client.get(`/imports/${body.id}`)).status, 404)
    assert.equal((await other.client.delete(`/imports/${body.id}`)).status, 404)
  })

  if (engine === 'sqlite') renaming(api)
})

test('names of uploaded files cannot leave their folder', () => {
  assert.deepEqual(
    parseFileList('../../etc/passwd:5,kuma.db-wal').map(({ name }) => name),
    ['.._.._etc_passwd', 'kuma.db-wal'],
  )
  for (const list of ['', '..', 'a:1,a:2', 'a,b', `${'x'.repeat(101)}`]) assert.throws(() => parseFileList(list))
})

test('what is left out is not referred to any more', () => {
  const document = {
    version: 1,
    monitors: { a: { name: 'A' }, b: { name: 'B' } },
    contacts: { ops: { covers: 'CHOSEN', monitors: ['a', 'b'] }, solo: { covers: 'CHOSEN', monitors: ['b'] } },
    statusPages: { main: { sections: [{ name: 'S', monitors: [{ monitor: 'a' }, { monitor: 'b' }] }] } },
    maintenanceWindows: { night: { monitors: ['b'], statusPages: ['main'] } },
  }
  assert.deepEqual(without(document, new Set(['monitors.b'])), {
    version: 1,
    monitors: { a: { name: 'A' } },
    contacts: { ops: { covers: 'CHOSEN', monitors: ['a'] } },
    statusPages: { main: { sections: [{ name: 'S', monitors: [{ monitor: 'a' }] }] } },
    maintenanceWindows: {},
  })
})
