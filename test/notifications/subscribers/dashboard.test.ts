import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, useInstallation } from '../../support/person.ts'
import { confirmed } from './mailing.ts'

forEachEngine('subscribers in the dashboard', (engine) => {
  const installation = useInstallation(engine)

  async function pageWith(slug: string, rows: (page: { id: string; orgId: string }) => object[]) {
    const { owner, server } = installation
    const { body } = await owner.post('/v1/status-pages', { name: slug, slug, subscribersEnabled: true })
    const orgId = await server.defaultOrgId()
    const values = rows({ id: body.id, orgId }) as ReturnType<typeof confirmed>[]
    if (values.length > 0) {
      await server.running.database.write(() => execute(q.insertInto('subscribers').values(values)))
    }
    return `/v1/status-pages/${body.id}/subscribers`
  }

  test('are listed in pages of 50, newest first, with counts, search and filters', async () => {
    const { owner } = installation
    const path = await pageWith('acme', ({ id, orgId }) => [
      ...Array.from({ length: 60 }, (_, i) => confirmed(orgId, id, `a${i}`, `User_${i}@example.com`)),
      { ...confirmed(orgId, id, 'p', 'waiting@example.com'), state: 'PENDING', confirmed_at: null },
      {
        ...confirmed(orgId, id, 'w', 'webhook:hash'),
        kind: 'WEBHOOK',
        sealed_url: 'sealed-secret',
        label: 'https://example.com/…abcd',
        failing_since: 5,
        last_error: 'The endpoint returned HTTP 500',
      },
    ])
    const { status, body } = await owner.get(path)
    assert.equal(status, 200)
    assert.equal(body.data.length, 25)
    assert.deepEqual(body.pagination, { limit: 25, offset: 0, total: 62 })
    assert.deepEqual(body.counts, [
      { kind: 'EMAIL', state: 'CONFIRMED', total: 60 },
      { kind: 'EMAIL', state: 'PENDING', total: 1 },
      { kind: 'WEBHOOK', state: 'CONFIRMED', total: 1 },
    ])
    assert.deepEqual(body.data[0], {
      id: 'sub_w',
      kind: 'WEBHOOK',
      address: 'https://example.com/…abcd',
      state: 'CONFIRMED',
      failingSince: '1970-01-01T00:00:00.005Z',
      lastError: 'The endpoint returned HTTP 500',
      createdAt: '1970-01-01T00:00:00.001Z',
      confirmedAt: '1970-01-01T00:00:00.001Z',
    })
    assert.doesNotMatch(JSON.stringify(body), /sealed-secret|hash/)
    assert.equal((await owner.get(`${path}?offset=50`)).body.data.length, 12)
    const found = async (query: string) => (await owner.get(`${path}?${query}`)).body.pagination.total
    assert.equal(await found('q=USER_1%40'), 1)
    assert.equal(await found('q=%25'), 0, 'no wildcard')
    assert.equal(await found('kind=WEBHOOK'), 1)
    assert.equal(await found('state=PENDING'), 1)
    assert.equal(await found('q=hash'), 0, 'the hash of a URL is not searched')
  })

  test('are removed from their page only, by members', async () => {
    const { owner } = installation
    const path = await pageWith('one', ({ id, orgId }) => [confirmed(orgId, id, 'one', 'ann@example.com')])
    const other = await pageWith('two', () => [])
    const viewer = await joinByInvitation(installation, 'viewer@example.com', 'VIEWER')
    assert.equal((await viewer.get(path)).status, 200)
    assert.equal((await viewer.delete(`${path}/sub_one`)).status, 403)
    assert.equal((await owner.delete(`${other}/sub_one`)).status, 404)
    assert.equal((await owner.delete(`${path}/sub_one`)).status, 200)
    assert.equal((await owner.delete(`${path}/sub_one`)).status, 404)
    assert.deepEqual((await owner.get(path)).body.counts, [])
    assert.equal((await owner.get('/v1/status-pages/page_x/subscribers')).status, 404)
  })
})
