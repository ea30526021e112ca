import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
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
})
