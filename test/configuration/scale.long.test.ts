import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'
import { startProcess } from '../support/server-process.ts'
import { migratedWorkspace } from '../support/workspace.ts'
import { apply, plan } from './support.ts'

function documentOf(count: number) {
  const monitors = Array.from({ length: count }, (_, i) => [
    `web-${i}`,
    { name: `Web ${i}`, type: 'HTTP', url: `https://shop.example/${i}`, labels: { team: `team-${i % 20}` } },
  ])
  return { version: 1, monitors: Object.fromEntries(monitors) }
}

forEachEngine('a document with 1,000 monitors', (engine) => {
  const api = useApi(engine)

  test('is planned and applied, and a second application has nothing to do', async () => {
    const { client } = await api.tenant()
    assert.equal((await apply(client, documentOf(1_000))).summary.create, 1_000)
    assert.equal((await plan(client, documentOf(1_000))).summary.none, 1_000)
  })

  test('is applied completely or not at all if the server is killed meanwhile', async () => {
    await using workspace = await migratedWorkspace(engine)
    const env = { ...workspace.env, PHAROS_ROLES: 'api' }
    let applied = 0
    for (const waitMs of [100, 400, 1_000]) {
      const server = await startProcess(env)
      const client = clientOf(server.url, { 'x-api-key': BOOTSTRAP_KEY })
      const { planId } = await plan(client, documentOf(1_000))
      const answer = client.post('/configuration/apply', { planId }).catch(() => undefined)
      await delay(waitMs)
      await server.kill()
      await answer
      await using again = await startProcess(env)
      const { body } = await clientOf(again.url, { 'x-api-key': BOOTSTRAP_KEY }).get('/monitors?limit=1')
      applied = body.pagination.total
      assert.ok(applied === 0 || applied === 1_000, `${applied} monitors`)
      if (applied > 0) break
    }
  })
})
