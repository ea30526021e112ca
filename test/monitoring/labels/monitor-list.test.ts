import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, useInstallation } from '../../support/person.ts'

forEachEngine('labels in the dashboard list', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_ROLES: 'api' } })

  const make = async (name: string, labels: object): Promise<string> => {
    const { body } = await installation.owner.post('/v1/monitors', { name, type: 'CRON' })
    const saved = await installation.owner.send('PUT', `/v1/monitors/${body.id}/labels`, { labels })
    assert.equal(saved.status, 200)
    return body.id
  }
  const names = async (query: Record<string, string>): Promise<string> => {
    const { status, body } = await installation.owner.get(`/v1/monitor-list?${new URLSearchParams(query)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ name }: { name: string }) => name).join(' ')
  }

  test('the list is filtered and grouped by labels, and shows them', async () => {
    await make('a', { team: 'web', env: 'prod' })
    await make('b', { team: 'pay, all', env: 'prod' })
    const c = await make('c', { env: 'dev' })
    await make('d', { team: 'web' })
    await installation.owner.post(`/v1/monitors/${c}/pause`, {})
    assert.equal(await names({ labels: 'env=prod', sort: 'name' }), 'a b')
    assert.equal(await names({ labels: 'env=prod,team!=web', sort: 'name' }), 'b')
    assert.equal(await names({ labels: '!env', sort: 'name' }), 'd')
    assert.equal(await names({ labels: 'env', state: 'PAUSED' }), 'c')
    const grouped = await installation.owner.get('/v1/monitor-list?group=label:team&sort=name')
    assert.deepEqual(grouped.body.groups, [
      { value: 'team="pay, all"', total: 1 },
      { value: 'team=web', total: 2 },
      { value: '!team', total: 1 },
    ])
    assert.deepEqual(
      grouped.body.data.map(({ name, labels }: { name: string; labels: object }) => [name, labels]),
      [
        ['b', { env: 'prod', team: 'pay, all' }],
        ['a', { env: 'prod', team: 'web' }],
        ['d', { team: 'web' }],
        ['c', { env: 'dev' }],
      ],
    )
    assert.equal(await names({ group: 'label:team', sort: 'name', collapsed: 'team=web,!team' }), 'b')
    assert.equal(await names({ group: 'label:team', sort: 'checked', labels: 'env' }), 'b a c')
    assert.equal(await names({ group: 'label:team', sort: 'state' }), 'b a d c')
    const { body } = await installation.owner.get('/v1/monitor-list?labels=env')
    assert.deepEqual(body.counts, { up: 0, degraded: 0, down: 0, paused: 1, pending: 2, maintenance: 0, total: 3 })
    for (const bad of ['group=name', 'group=label:Team', 'labels=a%20b', 'group=label:team&collapsed=%2C']) {
      const answer = await installation.owner.get(`/v1/monitor-list?${bad}`)
      assert.equal(answer.status, 400, bad)
    }
  })

  test('more groups can be collapsed than a selector has conditions', async () => {
    const ids = await Promise.all(Array.from({ length: 25 }, (_, i) => make(`g${i}`, { group: `value-${i}` })))
    const collapsed = Array.from({ length: 24 }, (_, i) => `group=value-${i}`).join(',')
    assert.equal(await names({ labels: 'group', group: 'label:group', collapsed }), 'g24')
    const tooMany = Array.from({ length: 201 }, (_, i) => `g=${i}`).join(',')
    const query = new URLSearchParams({ group: 'label:group', collapsed: tooMany })
    const answer = await installation.owner.get(`/v1/monitor-list?${query}`)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.details[0].path, 'collapsed')
    await installation.owner.post('/v1/monitors/bulk', { monitorIds: ids, action: 'DELETE' })
  })

  test('a viewer can read labels and not change them', async () => {
    const id = await make('v', { env: 'prod' })
    const viewer = await joinByInvitation(installation, 'looks@example.com', 'VIEWER')
    assert.equal((await viewer.get(`/v1/monitors/${id}/labels`)).status, 200)
    assert.equal((await viewer.get('/v1/labels')).status, 200)
    assert.equal((await viewer.send('PUT', `/v1/monitors/${id}/labels`, { labels: {} })).status, 403)
    assert.equal((await viewer.post('/v1/monitors/bulk', { monitorIds: [id], action: 'PAUSE' })).status, 403)
  })
})
