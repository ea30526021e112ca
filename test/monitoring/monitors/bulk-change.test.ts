import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { makeMonitor, useInstallation } from '../../support/person.ts'
import { bodyOf } from '../../support/server.ts'
import { nextCheckAt } from '../../support/tables.ts'

function scene(engine: Engine) {
  const installation = useInstallation(engine, { env: { PHAROS_ROLES: 'api' } })

  const make = (name: string, fields: object = {}) => makeMonitor(installation, name, fields)
  const monitor = async (id: string) => (await installation.owner.get(`/v1/monitors/${id}`)).body
  const lastActions = async (count: number): Promise<string[]> => {
    const { body } = await installation.owner.get('/v1/audit-log')
    return body.data.slice(0, count).map(({ action, target }: Record<string, string>) => `${action} ${target}`)
  }

  const change = async (given: object) => {
    return bodyOf(await installation.owner.post('/v1/monitors/bulk', given))
  }
  /** The outcomes by name; null for monitors that do not exist. */
  const outcomes = ({ data }: { data: { name: string | null; outcome: string; error: string | null }[] }) =>
    Object.fromEntries(data.map(({ name, outcome, error }) => [name, error ?? outcome]))
  return { installation, make, monitor, lastActions, change, outcomes }
}

forEachEngine('changing several monitors at once', (engine) => {
  const { installation, make, monitor, lastActions, change } = scene(engine)

  test('pauses and resumes, says what changed, and names what is missing', async () => {
    const [a, b] = [await make('a'), await make('b')]
    await installation.owner.post(`/v1/monitors/${b}/pause`, {})
    const gone = await make('gone')
    await installation.owner.delete(`/v1/monitors/${gone}`)
    const paused = await change({ monitorIds: [gone, b, a], action: 'PAUSE' })
    assert.deepEqual(paused, {
      data: [
        { monitorId: a, name: 'a', outcome: 'CHANGED', error: null, errorCode: null },
        { monitorId: b, name: 'b', outcome: 'UNCHANGED', error: null, errorCode: null },
        {
          monitorId: gone,
          name: null,
          outcome: 'FAILED',
          error: 'The monitor no longer exists',
          errorCode: 'not_found',
        },
      ].toSorted((x, y) => (x.monitorId < y.monitorId ? -1 : 1)),
      changed: 1,
      unchanged: 1,
      failed: 1,
    })
    assert.deepEqual([(await monitor(a)).state, (await monitor(b)).state], ['PAUSED', 'PAUSED'])
    assert.deepEqual((await lastActions(2)).toSorted(), [`pauseMonitor ${a}`, `pauseMonitor ${b}`].toSorted())
    assert.equal((await change({ monitorIds: [a, b], action: 'RESUME' })).changed, 2)
    assert.deepEqual((await monitor(a)).state, 'PENDING')
  })

  test('deletes each monitor once', async () => {
    const ids = [await make('x'), await make('y')]
    assert.equal((await change({ monitorIds: ids, action: 'DELETE' })).changed, 2)
    const second = await change({ monitorIds: ids, action: 'DELETE' })
    assert.deepEqual([second.changed, second.failed], [0, 2])
    assert.equal((await installation.owner.get(`/v1/monitors/${ids[0]}`)).status, 404)
    assert.deepEqual((await lastActions(2)).toSorted(), ids.map((id) => `deleteMonitor ${id}`).toSorted())
  })
})

forEachEngine('labelling and checking several monitors', (engine) => {
  const { installation, make, monitor, lastActions, change, outcomes } = scene(engine)

  test('labels, by id and by selector, without touching other labels', async () => {
    const [a, b, c] = [await make('l1'), await make('l2'), await make('l3')]
    const labelsOf = async (id: string) => (await installation.owner.get(`/v1/monitors/${id}/labels`)).body.labels
    const many = Object.fromEntries(Array.from({ length: 29 }, (_, i) => [`k${i}`, '']))
    await installation.owner.send('PUT', `/v1/monitors/${c}/labels`, { labels: many })
    const first = await change({ monitorIds: [a, b, c], action: 'LABEL', labels: { team: 'pay', env: 'prod' } })
    assert.deepEqual(outcomes(first), {
      l1: 'CHANGED',
      l2: 'CHANGED',
      l3: 'It would have 31 labels; a monitor has at most 30',
    })
    assert.deepEqual(await lastActions(2), [`setMonitorLabels ${b}`, `setMonitorLabels ${a}`])
    const again = await change({ selector: 'team=pay', action: 'LABEL', labels: { env: null, team: 'pay', tier: '1' } })
    assert.deepEqual(outcomes(again), { l1: 'CHANGED', l2: 'CHANGED' })
    assert.deepEqual(await labelsOf(a), { team: 'pay', tier: '1' })
    assert.deepEqual(await labelsOf(c), many)
    const same = await change({ selector: 'team=pay', action: 'LABEL', labels: { env: null, tier: '1' } })
    assert.deepEqual([same.changed, same.unchanged], [0, 2])
    await change({ selector: 'k0', action: 'LABEL', labels: { k0: null } })
    assert.equal(Object.keys(await labelsOf(c)).length, 28)
    assert.deepEqual(await change({ selector: 'none=x', action: 'PAUSE' }), {
      data: [],
      changed: 0,
      unchanged: 0,
      failed: 0,
    })
    await change({ selector: 'team=pay', action: 'PAUSE' })
    assert.deepEqual([(await monitor(a)).state, (await monitor(c)).state], ['PAUSED', 'PENDING'])
  })

  test('makes monitors due for a check, unless they are paused', async () => {
    const [web, off, job] = [await make('web2'), await make('off'), await make('job2', { type: 'CRON' })]
    await installation.owner.post(`/v1/monitors/${off}/pause`, {})
    const { server } = installation
    await server.running.database.write(() =>
      execute(q.updateTable('monitor_states').set({ next_check_at: 9e15 }).where('next_check_at', 'is not', null)),
    )
    const checked = await change({ monitorIds: [web, off, job], action: 'CHECK' })
    assert.deepEqual(outcomes(checked), {
      web2: 'CHANGED',
      off: 'The monitor is paused; resume it first',
      job2: 'UNCHANGED',
    })
    const dueAt = await nextCheckAt(server, web)
    assert.ok(typeof dueAt === 'number' && dueAt <= Date.now(), `due at ${dueAt}`)
    assert.equal(await nextCheckAt(server, off), null)
  })
})

forEachEngine('what a bulk operation accepts', (engine) => {
  const { installation } = scene(engine)

  test('needs one of ids and selector, at most 1,000 monitors, and labels only to label', async () => {
    const faults = [
      [{ action: 'PAUSE' }, 'monitorIds'],
      [{ action: 'PAUSE', monitorIds: ['mon_1'], selector: 'a' }, 'selector'],
      [{ action: 'PAUSE', selector: 'a=' }, 'selector'],
      [{ action: 'PAUSE', monitorIds: ['mon_1'], labels: { a: 'b' } }, 'labels'],
      [{ action: 'LABEL', monitorIds: ['mon_1'] }, 'labels'],
      [{ action: 'LABEL', monitorIds: ['mon_1'], labels: {} }, 'labels'],
      [{ action: 'LABEL', monitorIds: ['mon_1'], labels: { A: 'b' } }, 'labels.A'],
      [{ action: 'STOP', monitorIds: ['mon_1'] }, 'action'],
      [{ action: 'PAUSE', monitorIds: Array.from({ length: 1_001 }, (_, i) => `mon_${i}`) }, 'monitorIds'],
    ] as const
    for (const [given, path] of faults) {
      expectError(await installation.owner.post('/v1/monitors/bulk', given), 'validation_error', [path])
    }
  })
})

forEachEngine('updating several monitors', (engine) => {
  const { installation, make, monitor, lastActions, outcomes } = scene(engine)

  test('changes the interval, and names cron jobs, which have none', async () => {
    const [web, job] = [await make('web', { requestHeaders: { 'x-secret': 's' } }), await make('job', { type: 'CRON' })]
    const { body } = await installation.owner.patch('/v1/monitors/bulk', {
      monitorIds: [web, job],
      intervalSeconds: 600,
    })
    assert.deepEqual(outcomes(body), {
      web: 'CHANGED',
      job: 'Cron jobs have no check interval. Edit the expected period instead',
    })
    assert.equal((await monitor(web)).intervalSeconds, 600)
    assert.deepEqual((await monitor(web)).requestHeaders, { 'x-secret': 's' })
    assert.equal((await monitor(job)).intervalSeconds, 300)
    const again = await installation.owner.patch('/v1/monitors/bulk', { monitorIds: [web], intervalSeconds: 600 })
    assert.deepEqual(outcomes(again.body), { web: 'UNCHANGED' })
  })

  test('attaches and detaches contacts', async () => {
    const ids = [await make('m1'), await make('m2')]
    const contact = async (name: string): Promise<string> => {
      const settings = { url: 'https://hooks.example/alerts' }
      return (await installation.owner.post('/v1/contacts', { name, channel: 'WEBHOOK', settings })).body.id
    }
    const [one, two] = [await contact('one'), await contact('two')]
    const attached = async (id: string): Promise<string[]> => {
      const { data } = (await installation.owner.get(`/v1/monitors/${id}/contacts`)).body
      return data
        .filter((row: { attached: boolean }) => row.attached)
        .map(({ name }: { name: string }) => name)
        .toSorted()
    }
    assert.deepEqual(await attached(ids[0] as string), ['one', 'two'], 'new contacts cover all monitors')
    const off = await installation.owner.patch('/v1/monitors/bulk', { monitorIds: ids, detachContactIds: [one, two] })
    assert.equal(off.body.changed, 2)
    assert.deepEqual(await attached(ids[1] as string), [])
    const on = await installation.owner.patch('/v1/monitors/bulk', { monitorIds: [ids[0]], attachContactIds: [two] })
    assert.equal(on.body.changed, 1)
    assert.deepEqual([await attached(ids[0] as string), await attached(ids[1] as string)], [['two'], []])
    assert.deepEqual(await lastActions(1), [`attachContact ${two}`])
    const unknown = { monitorIds: ids, attachContactIds: [one, 'con_unknown'], detachContactIds: ['con_gone'] }
    const paths = ['attachContactIds.1', 'detachContactIds.0']
    expectError(await installation.owner.patch('/v1/monitors/bulk', unknown), 'validation_error', paths)
  })
})

forEachEngine('limits of bulk updates', (engine) => {
  const { installation } = scene(engine)

  test('refuses empty, repeated, too many and contradictory input', async () => {
    const many = Array.from({ length: 1_001 }, (_, i) => `mon_${i}`)
    for (const monitorIds of [[], ['mon_1', 'mon_1'], many]) {
      assert.equal((await installation.owner.post('/v1/monitors/bulk', { monitorIds, action: 'PAUSE' })).status, 400)
    }
    const twice = { monitorIds: ['mon_1', 'mon_2', 'mon_1'], attachContactIds: ['con_1', 'con_1'] }
    const repeated = await installation.owner.patch('/v1/monitors/bulk', twice)
    expectError(repeated, 'validation_error', ['monitorIds.2', 'attachContactIds.1'])
    const both = { monitorIds: ['mon_1'], attachContactIds: ['con_1'], detachContactIds: ['con_1'] }
    assert.equal((await installation.owner.patch('/v1/monitors/bulk', both)).status, 400)
    assert.equal((await installation.owner.patch('/v1/monitors/bulk', { monitorIds: ['mon_1'] })).status, 400)
  })

  test('answers 400 to lists of deeply nested values', async () => {
    // As text: JSON.stringify cannot nest as deeply.
    const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const client = installation.server.client()
    for (const [method, field] of [
      ['POST', 'monitorIds'],
      ['PATCH', 'monitorIds'],
      ['PATCH', 'attachContactIds'],
      ['PATCH', 'detachContactIds'],
    ] as const) {
      const { status, body } = await client.send(method, '/monitors/bulk', `{"${field}":[${nested},1]}`)
      assert.equal(status, 400, `${method} ${field} ${JSON.stringify(body)}`)
      assert.equal(body.error.details[0].path, [`${field}.0`, ...Array(30).fill('a')].join('.'))
    }
  })

  test('does not touch monitors of another organization', async () => {
    const { key } = await installation.server.organization('FREE')
    const settings = { name: 'theirs', type: 'HTTP', url: 'https://example.com/', intervalSeconds: 300 }
    const client = installation.server.client(key)
    const { id } = (await client.post('/monitors', settings)).body
    const { body } = await installation.owner.post('/v1/monitors/bulk', { monitorIds: [id], action: 'DELETE' })
    assert.deepEqual([body.changed, body.data[0].name], [0, null])
    assert.equal((await client.get(`/monitors/${id}`)).status, 200)
  })
})
