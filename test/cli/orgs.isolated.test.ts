import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'

// Isolated: ids of one process never go back in time, so a test with a future clock would sort before those of the command line.
const CRON = { name: 'a', type: 'CRON' }

forEachEngine('pharos orgs', (engine) => {
  const cli = new CommandLine(engine)

  test('an organization is created, listed, and found by id and by slug', async () => {
    const created = await cli.json('orgs create --name', 'Acme Bücher & Söhne')
    assert.match(created.id, /^org_[0-9a-f]{32}$/)
    assert.match(created.createdAt, /^\d{4}-.*Z$/)
    const { id, createdAt, ...rest } = created
    assert.deepEqual(rest, {
      slug: 'acme-bu-cher-so-hne',
      name: 'Acme Bücher & Söhne',
      plan: 'FREE',
      subscription: 'active',
      timezone: 'UTC',
    })
    assert.equal((await cli.json('orgs create --name', 'Acme Bücher & Söhne')).slug, 'acme-bu-cher-so-hne-2')
    const listed = await cli.json('orgs list')
    assert.deepEqual(listed[0].slug, 'default')
    assert.deepEqual(listed[1], created)
    assert.match(await cli.text('orgs list'), /^ID +SLUG +PLAN +SUBSCRIPTION +NAME\norg_\w+ +default +self-hosted/)
    assert.equal((await cli.json(`orgs set ${id} --plan PRO`)).plan, 'PRO')
    assert.equal((await cli.json(`orgs set ${created.slug} --plan free`)).id, id)
    assert.match(await cli.text('orgs create --name Text --plan PRO'), /^Created Text \(text, org_\w+\), pro plan/)
  })

  test('a change of plan applies from the next request', async () => {
    const { id } = await cli.json('orgs create --name Planned')
    const { key } = await cli.json(`keys create --org ${id} --name k --access full`)
    const client = cli.server.client(key)
    const fast = { ...CRON, intervalSeconds: 60 }
    assert.equal((await client.post('/monitors', fast)).body.error.code, 'plan_limit')
    await cli.text(`orgs set ${id} --plan STARTER`)
    assert.equal((await client.post('/monitors', fast)).status, 201)
    await cli.text(`orgs set ${id} --plan FREE`)
    assert.equal((await client.post('/monitors', fast)).body.error.code, 'plan_limit')
  })

  test('an inactive subscription allows reading only, from the next request', async () => {
    const { id } = await cli.json('orgs create --name Paying')
    const { key } = await cli.json(`keys create --org ${id} --name k --access full`)
    const client = cli.server.client(key)
    assert.equal((await client.post('/monitors', CRON)).status, 201)
    assert.match(await cli.text(`orgs set ${id} --subscription inactive`), /subscription inactive/)
    assert.equal((await client.post('/monitors', CRON)).body.error.code, 'subscription_required')
    assert.equal((await client.get('/monitors')).body.pagination.total, 1)
    await cli.text(`orgs set ${id} --subscription active`)
    assert.equal((await client.post('/monitors', CRON)).status, 201)
  })
})
