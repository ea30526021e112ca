import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/server/operations/table.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'

const extensions = operations.filter(({ extension }) => extension === true)
assert.ok(extensions.length > 0, 'no operation is an extension')

forEachEngine('extensions of the API', (engine) => {
  const api = useApi(engine)

  test('need a key; a read-only key reads, and changes nothing', async () => {
    const tenant = await api.tenant()
    const reader = api.server.client((await api.server.makeKey(tenant.orgId, 'read-only')).key)
    const nobody = api.server.client('phr_unknown')
    for (const { method, path, access, readOnlyKeys } of extensions) {
      const address = path.replace(/:\w+/g, 'mon_unknown')
      const what = `${method} ${path}`
      assert.equal((await nobody.send(method, address)).status, 401, what)
      const { status } = await reader.send(method, address)
      // Without a body.
      if (readOnlyKeys === true) assert.equal(status, 400, what)
      else if (access === 'write') assert.equal(status, 403, what)
      else if (/:\w+Id\b/.test(path)) assert.equal(status, 404, what)
      else assert.equal(status, 200, what)
    }
  })

  test('refuse unknown query parameters, which the operations of the specification ignore', async () => {
    const { client } = await api.tenant()
    for (const { method, path, extension } of operations) {
      const address = `${path.replace(/:\w+/g, 'mon_unknown')}?form=2026&__proto__=1`
      const { status, body } = await client.send(method, address)
      const paths = status === 400 ? body.error.details.map((fault: { path: string }) => fault.path) : []
      const unknown = paths.filter((name: string) => name === 'form' || name === '__proto__')
      assert.deepEqual(unknown, extension ? ['form', '__proto__'] : [], `${method} ${path}`)
    }
  })

  test('do not know the resources of another organization', async () => {
    const [own, foreign] = [await api.tenant(), await api.tenant()]
    const { body: monitor } = await own.client.post('/monitors', { name: 'Job', type: 'CRON' })
    await fetch(`${api.server.url}${new URL(monitor.heartbeatUrl).pathname}/fail`)
    const [incident] = (await own.client.get('/incidents')).body.data
    const { body: page } = await own.client.post('/status-pages', { name: 'Status' })
    const { body: endpoint } = await own.client.post('/webhook-endpoints', { url: 'https://hooks.example/a' })
    const { body: delivery } = await own.client.post(`/webhook-endpoints/${endpoint.id}/test`, {})
    const { body: note } = await own.client.post(`/incidents/${incident.id}/notes`, { body: 'Looking' })
    for (const [method, path, body] of [
      ['GET', `/monitors/${monitor.id}/details`],
      ['GET', `/incidents/${incident.id}/alerts`],
      ['GET', `/incidents/${incident.id}/status-incidents`],
      ['GET', `/incidents/${incident.id}/notes`],
      ['POST', `/incidents/${incident.id}/notes`, { body: 'Mine' }],
      ['PATCH', `/incidents/${incident.id}/notes/${note.id}`, { body: 'Mine' }],
      ['DELETE', `/incidents/${incident.id}/notes/${note.id}`],
      ['GET', `/status-pages/${page.id}/domain`],
      ['POST', `/status-pages/${page.id}/domain/check`],
      ['GET', `/status-pages/${page.id}/subscribers`],
      ['POST', `/webhook-endpoints/${endpoint.id}/retry-failed`, { since: '2026-01-01T00:00Z' }],
      ['GET', `/webhook-deliveries/${delivery.id}/request`],
    ] as const) {
      const answer = await foreign.client.send(method, path, body)
      assert.deepEqual([answer.status, answer.body.error?.code], [404, 'not_found'], `${method} ${path}`)
      if (method === 'GET') assert.equal((await own.client.get(path)).status, 200, path)
    }
    assert.deepEqual((await own.client.get(`/incidents/${incident.id}/notes`)).body.data, [note])
    for (const path of ['/overview', '/wall-board']) {
      assert.equal((await foreign.client.get(path)).body.counts.total, 0, path)
    }
    assert.equal((await foreign.client.get('/monitor-list')).body.pagination.total, 0)
    assert.equal((await foreign.client.get(`/alert-coverage?monitorId=${monitor.id}`)).body.uncovered, 0)
  })

  test('a note belongs to the key that wrote it', async () => {
    const { client, orgId } = await api.tenant()
    const { body: monitor } = await client.post('/monitors', { name: 'Job', type: 'CRON' })
    await fetch(`${api.server.url}${new URL(monitor.heartbeatUrl).pathname}/fail`)
    const [incident] = (await client.get('/incidents')).body.data
    const path = `/incidents/${incident.id}/notes`
    const { body: note } = await client.post(path, { body: 'Looking' })
    assert.deepEqual([note.author.type, note.author.name], ['API_KEY', 'test'])
    const other = api.clientOf((await api.server.makeKey(orgId, 'full')).key)
    const refused = await other.patch(`${path}/${note.id}`, { body: 'Mine' })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden'])
    assert.equal((await other.delete(`${path}/${note.id}`)).status, 403)
    assert.equal((await client.patch(`${path}/${note.id}`, { body: 'Found' })).body.body, 'Found')
    assert.equal((await client.delete(`${path}/${note.id}`)).status, 200)
  })
})
