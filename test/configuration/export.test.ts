import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { startApi, useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { apply, everything, plan } from './support.ts'

/** What the command line does, with a value for each variable. */
function withVariables(text: string, values: Readonly<Record<string, string>>): object {
  const replaced = text.replace(/\$\$\{|\$\{(\w+)\}/g, (_, name?: string) =>
    name === undefined ? '${' : JSON.stringify(values[name] ?? assert.fail(`no ${name}`)).slice(1, -1),
  )
  return JSON.parse(replaced)
}

const secrets = {
  MONITORS_SHOP_URL: 'user:pass',
  MONITORS_SHOP_REQUEST_HEADERS_AUTHORIZATION: 'Bearer secret-token',
  MONITORS_SHOP_REQUEST_AUTH_PASSWORD: 'lovelace',
  CONTACTS_OPS_SETTINGS_URL: 'https://hooks.example/secret',
  CONTACTS_CHAT_SETTINGS_URL: 'https://hooks.example/other',
  CONTACTS_TEAM_SETTINGS_URL: 'https://hooks.example/team',
  STATUS_PAGES_MAIN_PASSWORD: 'a-long-password',
  WEBHOOK_ENDPOINTS_HOOKS_URL: 'https://hooks.example/pharos',
}

forEachEngine('an export', (engine) => {
  const api = useApi(engine)

  test('that is applied to an empty organization is exported again byte for byte', async () => {
    const { client } = await api.tenant()
    await apply(client, everything)
    const exported = (await client.get('/configuration?source=shop-team')).body
    const text = JSON.stringify(exported)
    for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), secret)
    // Slugs of status pages are unique on an installation.
    const other = await startApi(engine)
    try {
      const { client: empty } = await other.tenant()
      const document = withVariables(text, secrets)
      assert.equal((await apply(empty, document)).summary.create, 9)
      assert.equal(JSON.stringify((await empty.get('/configuration?source=shop-team')).body), text)
      assert.equal((await plan(empty, document)).summary.none, 9)
    } finally {
      await other.server.stop()
    }
  })

  test('has keys made of names, YAML on request, and with ids it adopts what was created by hand', async () => {
    const { client } = await api.tenant()
    for (const name of ['Größe', 'Größe', '監視']) await client.post('/monitors', { name, type: 'CRON' })
    const { body } = await client.get('/configuration')
    assert.deepEqual(Object.keys(body.monitors), ['grosse', 'grosse-2', 'monitor'])
    const yaml = await client.get('/configuration', { accept: 'application/yaml' })
    assert.match(yaml.headers.get('content-type') ?? '', /^application\/yaml/)
    assert.deepEqual(parse(yaml.body), body)
    const { body: document } = await client.get('/configuration?ids=true')
    await apply(client, document)
    assert.equal((await client.get('/monitors')).body.pagination.total, 3)
    assert.equal((await plan(client, document)).summary.none, 3)
    assert.deepEqual((await client.get('/configuration')).body, body)
  })
})
