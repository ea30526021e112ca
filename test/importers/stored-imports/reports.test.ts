import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneImports } from '../../../src/importers/stored-imports/rows.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { pruneLines } from '../../../src/storage/sealed-lines.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { upload, uploadChecks } from './upload.ts'

forEachEngine('stored reports', (engine) => {
  const api = useApi(engine)

  test('an import that was not applied is deleted after a week; the report of one that was applied stays', async () => {
    const { key, orgId, client } = await api.tenant()
    const applied = await uploadChecks({ url: api.server.url, key })
    const { planId } = (await client.post(`/imports/${applied.id}/plan`)).body
    assert.equal((await client.post(`/imports/${applied.id}/apply`, { planId })).status, 200)
    const { id } = await uploadChecks({ url: api.server.url, key })
    const { database } = api.server.running
    const prune = async (days: number) => {
      for (const step of [pruneImports, pruneLines]) await database.write(() => step(Date.now() + days * DAY_MS, 500))
    }
    const texts = async () => {
      const lines = q.selectFrom('sealed_lines').select('text_id').where('org_id', '=', orgId).distinct()
      const rows = await database.read(execute(lines.orderBy('text_id')))
      return rows.map(({ text_id }) => text_id)
    }
    const report = [`${applied.id} head`, `${applied.id} objects`]
    await prune(6)
    assert.deepEqual(await texts(), [...report, `${id} document`, `${id} head`, `${id} objects`])
    assert.equal((await client.get('/imports')).body.pagination.total, 2)
    await prune(8)
    assert.deepEqual(await texts(), report)
    assert.equal((await client.get('/imports')).body.pagination.total, 1)
    assert.equal((await client.get(`/imports/${applied.id}`)).body.objects.length, 3)
  })

  test('a report is read in pages of its objects, each with the resource that it became', async () => {
    const { key, client } = await api.tenant()
    const count = 1_050
    const many = Array.from({ length: count }, (_, i) => ({
      name: `Job ${i}`,
      slug: `job-${i}`,
      grace: 600,
      timeout: 3600,
    }))
    const content = Buffer.from(JSON.stringify({ checks: many }))
    const { body } = await upload({ url: api.server.url, key }, 'source=healthchecks', content)
    const path = `/imports/${body.id}`
    const first = (await client.get(path)).body
    assert.deepEqual([first.objects.length, first.pagination], [1_000, { limit: 1_000, offset: 0, total: count }])
    const { planId } = (await client.post(`${path}/plan`, { keys: [first.objects[999].key] })).body
    assert.equal((await client.post(`${path}/apply`, { planId })).status, 200)
    const page = (await client.get(`${path}?limit=3&offset=998`)).body
    const [monitor] = (await client.get('/monitors')).body.data
    assert.deepEqual(
      page.objects.map(({ name, resourceId }: Record<string, string>) => [name, resourceId]),
      [998, 999, 1000].map((i) => [`Job ${i}`, i === 999 ? monitor.id : null]),
    )
    const { objects: last } = (await client.get(`${path}?offset=1000`)).body
    assert.equal(last.length, count - 1_000)
    assert.deepEqual((await client.get(`${path}?offset=2000`)).body.objects, [])
    assert.equal((await client.get(`${path}?limit=1001`)).status, 400)
  })
})
