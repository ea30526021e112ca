import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'

forEachEngine('changing several monitors at once', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_ROLES: 'api' } })

  const make = async (name: string, fields: object = {}): Promise<string> => {
    const settings = { name, type: 'HTTP', url: 'https://example.com/', ...fields }
    const { status, body } = await installation.owner.post('/v1/monitors', settings)
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const monitor = async (id: string) => (await installation.owner.get(`/v1/monitors/${id}`)).body
  const lastActions = async (count: number): Promise<string[]> => {
    const { body } = await installation.owner.get('/v1/audit-log')
    return body.data.slice(0, count).map(({ action, target }: Record<string, string>) => `${action} ${target}`)
  }

  test('pauses and resumes, says what changed, and names what is missing', async () => {
    const [a, b] = [await make('a'), await make('b')]
    await installation.owner.post(`/v1/monitors/${b}/pause`, {})
    const gone = await make('gone')
    await installation.owner.delete(`/v1/monitors/${gone}`)
    const paused = await installation.owner.post('/monitors/bulk/pause', { monitorIds: [gone, b, a] })
    assert.deepEqual(paused.body, {
      changed: [a],
      unchanged: 1,
      failures: [{ monitorId: gone, name: null, message: 'The monitor no longer exists' }],
    })
    assert.deepEqual([(await monitor(a)).state, (await monitor(b)).state], ['PAUSED', 'PAUSED'])
    assert.deepEqual((await lastActions(2)).toSorted(), [`pauseMonitor ${a}`, `pauseMonitor ${b}`].toSorted())
    const resumed = await installation.owner.post('/monitors/bulk/resume', { monitorIds: [a, b] })
    assert.deepEqual(resumed.body, { changed: [a, b].toSorted(), unchanged: 0, failures: [] })
    assert.deepEqual((await monitor(a)).state, 'PENDING')
  })

  test('deletes each monitor once', async () => {
    const ids = [await make('x'), await make('y')]
    const first = await installation.owner.post('/monitors/bulk/delete', { monitorIds: ids })
    assert.deepEqual(first.body, { changed: ids.toSorted(), unchanged: 0, failures: [] })
    const second = await installation.owner.post('/monitors/bulk/delete', { monitorIds: ids })
    assert.deepEqual([second.body.changed, second.body.failures.length], [[], 2])
    assert.equal((await installation.owner.get(`/v1/monitors/${ids[0]}`)).status, 404)
    assert.deepEqual((await lastActions(2)).toSorted(), ids.map((id) => `deleteMonitor ${id}`).toSorted())
  })

  test('changes the interval, and names cron jobs, which have none', async () => {
    const [web, job] = [await make('web', { requestHeaders: { 'x-secret': 's' } }), await make('job', { type: 'CRON' })]
    const { body } = await installation.owner.patch('/monitors/bulk', { monitorIds: [web, job], intervalSeconds: 600 })
    assert.deepEqual(body, {
      changed: [web],
      unchanged: 0,
      failures: [
        { monitorId: job, name: 'job', message: 'Cron jobs have no check interval. Edit the expected period instead' },
      ],
    })
    assert.equal((await monitor(web)).intervalSeconds, 600)
    assert.deepEqual((await monitor(web)).requestHeaders, { 'x-secret': 's' })
    assert.equal((await monitor(job)).intervalSeconds, 300)
    const again = await installation.owner.patch('/monitors/bulk', { monitorIds: [web], intervalSeconds: 600 })
    assert.deepEqual(again.body, { changed: [], unchanged: 1, failures: [] })
  })

  test('attaches and detaches contacts', async () => {
    const ids = [await make('m1'), await make('m2')]
    const contact = async (name: string): Promise<string> => {
      const settings = { url: 'https://example.com/hook' }
      return (await installation.owner.post('/contacts', { name, channel: 'WEBHOOK', settings })).body.id
    }
    const [one, two] = [await contact('one'), await contact('two')]
    const attached = async (id: string): Promise<string[]> => {
      const { data } = (await installation.owner.get(`/monitors/${id}/contacts`)).body
      return data
        .filter((row: { attached: boolean }) => row.attached)
        .map(({ name }: { name: string }) => name)
        .toSorted()
    }
    assert.deepEqual(await attached(ids[0] as string), ['one', 'two'], 'new contacts cover all monitors')
    const off = await installation.owner.patch('/monitors/bulk', { monitorIds: ids, detachContactIds: [one, two] })
    assert.deepEqual(off.body, { changed: ids.toSorted(), unchanged: 0, failures: [] })
    assert.deepEqual(await attached(ids[1] as string), [])
    const on = await installation.owner.patch('/monitors/bulk', { monitorIds: [ids[0]], attachContactIds: [two] })
    assert.deepEqual(on.body.changed, [ids[0]])
    assert.deepEqual([await attached(ids[0] as string), await attached(ids[1] as string)], [['two'], []])
    assert.deepEqual(await lastActions(1), [`attachContact ${two}`])
    const unknown = { monitorIds: ids, attachContactIds: ['con_unknown'] }
    assert.equal((await installation.owner.patch('/monitors/bulk', unknown)).status, 404)
  })

  test('refuses empty, repeated, too many and contradictory input', async () => {
    const many = Array.from({ length: 501 }, (_, i) => `mon_${i}`)
    for (const monitorIds of [[], ['mon_1', 'mon_1'], many]) {
      assert.equal((await installation.owner.post('/monitors/bulk/pause', { monitorIds })).status, 400)
    }
    const both = { monitorIds: ['mon_1'], attachContactIds: ['con_1'], detachContactIds: ['con_1'] }
    assert.equal((await installation.owner.patch('/monitors/bulk', both)).status, 400)
    assert.equal((await installation.owner.patch('/monitors/bulk', { monitorIds: ['mon_1'] })).status, 400)
  })

  test('does not touch monitors of another organization', async () => {
    const { key } = await installation.server.organization('FREE')
    const settings = { name: 'theirs', type: 'HTTP', url: 'https://example.com/', intervalSeconds: 300 }
    const client = installation.server.client(key)
    const { id } = (await client.post('/monitors', settings)).body
    const { body } = await installation.owner.post('/monitors/bulk/delete', { monitorIds: [id] })
    assert.deepEqual([body.changed, body.failures[0].name], [[], null])
    assert.equal((await client.get(`/monitors/${id}`)).status, 200)
  })
})
