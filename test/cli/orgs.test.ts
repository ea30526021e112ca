import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'

const CRON = { name: 'a', type: 'CRON' }

forEachEngine('organizations beside a running server', (engine) => {
  const at = new CommandLine(engine)

  test('an organization is made, listed, and found by id and by slug', async () => {
    const made = await at.json('orgs create --name', 'Acme Bücher & Söhne')
    assert.match(made.id, /^org_[0-9a-f]{32}$/)
    assert.match(made.createdAt, /^\d{4}-.*Z$/)
    const { id, createdAt, ...rest } = made
    assert.deepEqual(rest, {
      slug: 'acme-bu-cher-so-hne',
      name: 'Acme Bücher & Söhne',
      plan: 'FREE',
      subscription: 'active',
    })
    assert.equal((await at.json('orgs create --name', 'Acme Bücher & Söhne')).slug, 'acme-bu-cher-so-hne-2')
    const listed = await at.json('orgs list')
    assert.deepEqual(listed[0].slug, 'default')
    assert.deepEqual(listed[1], made)
    assert.match(await at.text('orgs list'), /^ID +SLUG +PLAN +SUBSCRIPTION +NAME\norg_\w+ +default +SELF_HOSTED/)
    assert.equal((await at.json(`orgs set ${id} --plan PRO`)).plan, 'PRO')
    assert.equal((await at.json(`orgs set ${made.slug} --plan FREE`)).id, id)
    assert.match(await at.text('orgs create --name Text --plan PRO'), /^Made Text \(text, org_\w+\), plan PRO/)
  })

  test('a change of plan counts from the next request', async () => {
    const { id } = await at.json('orgs create --name Planned')
    const { key } = await at.json(`keys create --org ${id} --name k --access full`)
    const client = at.server.client(key)
    const fast = { ...CRON, intervalSeconds: 60 }
    assert.equal((await client.post('/monitors', fast)).body.error.code, 'plan_limit')
    await at.text(`orgs set ${id} --plan STARTER`)
    assert.equal((await client.post('/monitors', fast)).status, 201)
    await at.text(`orgs set ${id} --plan FREE`)
    assert.equal((await client.post('/monitors', fast)).body.error.code, 'plan_limit')
  })

  test('an inactive subscription ends changes and leaves reading, from the next request', async () => {
    const { id } = await at.json('orgs create --name Paying')
    const { key } = await at.json(`keys create --org ${id} --name k --access full`)
    const client = at.server.client(key)
    assert.equal((await client.post('/monitors', CRON)).status, 201)
    assert.match(await at.text(`orgs set ${id} --subscription inactive`), /subscription inactive/)
    assert.equal((await client.post('/monitors', CRON)).body.error.code, 'subscription_required')
    assert.equal((await client.get('/monitors')).body.pagination.total, 1)
    await at.text(`orgs set ${id} --subscription active`)
    assert.equal((await client.post('/monitors', CRON)).status, 201)
  })
})
