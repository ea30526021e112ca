import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { quickTiming } from '../../notifications/contacts/alerting.ts'
import { startService } from '../../notifications/contacts/service.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { joinByInvitation, type Person, type TestInstallation, useInstallation } from '../../support/person.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { type Body, check, outage } from './incidents.ts'

const HOUR_MS = 3_600_000
/** The role `sender` too, so that alerts are sent. */
const env = { PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' }

forEachEngine('the activity of an incident', (engine) => {
  const installation = useInstallation(engine, { env, alertPace: { ...quickTiming, retryDelaysMs: [] } })
  const people: Record<string, Person> = {}
  before(async () => {
    for (const role of ['MEMBER', 'VIEWER']) {
      people[role] = await joinByInvitation(installation, `${role.toLowerCase()}@example.com`, role)
    }
  })

  notes(installation, people)
  history(installation, engine)
})

async function newIncident({ server }: TestInstallation): Promise<Body> {
  await using target = await startHttpTarget()
  target.status = 503
  const monitor = await createMonitor(server.client(), smallest('HTTP', { url: target.url }))
  return outage(server.client(), monitor.id)
}

function notes(installation: TestInstallation, people: Record<string, Person>): void {
  test('members write notes, viewers read them, and only authors change them', async () => {
    const { owner } = installation
    const [member, viewer] = [people.MEMBER as Person, people.VIEWER as Person]
    const { id } = await newIncident(installation)
    const path = `/v1/incidents/${id}/notes`
    assert.deepEqual((await viewer.get(path)).body.data, [])
    const note = await member.post(path, { body: 'Restarted **web-2**' })
    assert.equal(note.status, 201)
    assert.equal((await viewer.post(path, { body: 'No' })).status, 403)
    assert.equal((await owner.patch(`${path}/${note.body.id}`, { body: 'Not mine' })).status, 403)
    assert.equal((await owner.delete(`${path}/${note.body.id}`)).status, 403)
    const edited = await member.patch(`${path}/${note.body.id}`, { body: 'Restarted web-3' })
    assert.deepEqual([edited.status, edited.body.body], [200, 'Restarted web-3'])
    assert.notEqual(edited.body.editedAt, null)
    assert.deepEqual((await viewer.get(path)).body.data, [edited.body])
    assert.equal((await member.delete(`${path}/${note.body.id}`)).status, 200)
    assert.deepEqual((await viewer.get(path)).body.data, [])
    assert.equal((await member.delete(`${path}/${note.body.id}`)).status, 404)
  })

  test('a note of an API key belongs to the key that wrote it', async () => {
    const { server } = installation
    const { id } = await newIncident(installation)
    const path = `/incidents/${id}/notes`
    const { body: note } = await server.client().post(path, { body: 'Looking' })
    assert.equal(note.author.type, 'API_KEY')
    const other = server.client((await server.makeKey(await server.defaultOrgId(), 'full')).key)
    const refused = await other.patch(`${path}/${note.id}`, { body: 'Mine' })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
    assert.equal((await other.delete(`${path}/${note.id}`)).status, 403)
    assert.equal((await server.client().patch(`${path}/${note.id}`, { body: 'Found' })).body.body, 'Found')
    assert.equal((await server.client().delete(`${path}/${note.id}`)).status, 200)
  })

  test('a note must have text, of at most 10,000 characters, and an incident has at most 200', async () => {
    const { owner, server } = installation
    const { id } = await newIncident(installation)
    const path = `/v1/incidents/${id}/notes`
    for (const body of ['', ' \n ', 'x'.repeat(10_001)]) assert.equal((await owner.post(path, { body })).status, 400)
    const note = { org_id: await server.defaultOrgId(), incident_id: id, author_id: 'key_1', author_name: 'test' }
    const rest = { body: 'Noted', created_at: 1, edited_at: null }
    const notes = Array.from({ length: 199 }, (_, i) => ({ ...note, ...rest, id: `note_${i}` }))
    await server.running.database.write(() => execute(q.insertInto('incident_notes').values(notes)))
    assert.equal((await owner.post(path, { body: 'x'.repeat(10_000) })).status, 201)
    const refused = await owner.post(path, { body: 'One too many' })
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.equal((await owner.get(path)).body.data.length, 200)
  })

  test('notes are deleted with the incident and its monitor', async () => {
    const { owner, server } = installation
    const { id, monitor } = await newIncident(installation)
    assert.equal((await owner.post(`/v1/incidents/${id}/notes`, { body: 'Gone soon' })).status, 201)
    assert.equal((await server.client().delete(`/monitors/${monitor.id}`)).status, 200)
    assert.equal((await owner.get(`/v1/incidents/${id}/notes`)).status, 404)
    assert.equal((await owner.get('/v1/incidents/inc_nothing/notes')).status, 404)
  })
}

function history(installation: TestInstallation, engine: string): void {
  test('alerts name the contact, its channel and the result', async () => {
    const { owner, server } = installation
    await using good = await startService(() => ({ status: 200 }))
    await using bad = await startService(() => ({ status: 500 }))
    await using target = await startHttpTarget()
    for (const [name, { url }] of Object.entries({ Good: good, Bad: bad })) {
      const contact = await owner.post('/v1/contacts', { name, channel: 'WEBHOOK', settings: { url } })
      assert.equal(contact.status, 201, JSON.stringify(contact.body))
    }
    target.status = 503
    const monitor = await createMonitor(server.client(), smallest('HTTP', { url: target.url }))
    const { id } = await outage(server.client(), monitor.id)
    const results = async () => (await owner.get(`/v1/incidents/${id}/alerts`)).body.data as Body[]
    await eventually(async () => {
      const found = (await results()).map(({ contact, kind, status }) => [contact.name, kind, status])
      assert.deepEqual(found.toSorted(), [
        ['Bad', 'OPENED', 'FAILED'],
        ['Good', 'OPENED', 'SENT'],
      ])
    })
    const failed = (await results()).find(({ status }) => status === 'FAILED')
    assert.match(failed?.error, /500/)
    assert.deepEqual([failed?.contact.channel, failed?.attemptCount, failed?.nextAttemptAt], ['WEBHOOK', 1, null])
    target.status = 200
    await eventually(async () => assert.equal((await check(server.client(), monitor.id)).state, 'UP'))
    await eventually(async () => {
      const ended = (await results()).filter(({ kind }) => kind === 'RESOLVED').map(({ status }) => status)
      assert.deepEqual(ended.toSorted(), ['FAILED', 'SENT'])
    })
    const other = await newIncident(installation)
    assert.ok(
      (await owner.get(`/v1/incidents/${other.id}/alerts`)).body.data.every(({ kind }: Body) => kind === 'OPENED'),
    )
  })

  test('linked published incidents are listed with their updates', async () => {
    const { owner, server } = installation
    const { id, monitor } = await newIncident(installation)
    const page = await server.client().post('/status-pages', { name: 'Status', slug: `status-${engine}` })
    assert.deepEqual((await owner.get(`/v1/incidents/${id}/status-incidents`)).body.data, [])
    const published = await server.client().post('/status-incidents', {
      title: 'Outage',
      status: 'INVESTIGATING',
      impact: 'MAJOR',
      message: 'We are on it',
      statusPageIds: [page.body.id],
      affectedMonitors: [{ monitorId: monitor.id, status: 'MAJOR_OUTAGE' }],
      incidentId: id,
    })
    assert.equal(published.status, 201, JSON.stringify(published.body))
    assert.deepEqual((await owner.get(`/v1/incidents/${id}/status-incidents`)).body.data, [published.body])
  })

  test('the audit log can be read for a range of time', async () => {
    const { owner } = installation
    const { id, startedAt } = await newIncident(installation)
    await owner.post(`/v1/incidents/${id}/notes`, { body: 'Noted' })
    const at = Date.parse(startedAt)
    const range = async (from: number, to: number) => {
      const query = `since=${new Date(from).toISOString()}&until=${new Date(to).toISOString()}`
      return ((await owner.get(`/v1/audit-log?${query}`)).body.data as Body[]).map(({ action }) => action)
    }
    assert.ok((await range(at - HOUR_MS, at + HOUR_MS)).includes('createIncidentNote'))
    assert.deepEqual(await range(at - 3 * HOUR_MS, at - 2 * HOUR_MS), [])
    assert.deepEqual(await range(at + HOUR_MS, at + 2 * HOUR_MS), [])
  })
}
