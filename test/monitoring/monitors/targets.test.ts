import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, useApi } from '../../support/api.ts'
import { createMonitor, current, expectError, type MonitorType, smallest, total } from '../../support/monitors.ts'

type Field = 'url' | 'host'

/** Targets that can never work, and what the message says about them. */
const hopeless: readonly (readonly [MonitorType, Field, string, RegExp])[] = [
  ['DOMAIN', 'url', '192.0.2.7', /not an IP address/],
  ['DOMAIN', 'url', 'https://192.0.2.7/', /not an IP address/],
  ['DOMAIN', 'url', '[2001:db8::1]', /not an IP address/],
  ['DOMAIN', 'url', 'localhost', /can be registered/],
  ['DOMAIN', 'url', 'com', /can be registered/],
  ['DOMAIN', 'url', 'co.uk', /can be registered/],
  ['DOMAIN', 'url', 'host.123', /can be registered|address or a host name/],
  ['PORT', 'host', 'db.example:5432', /without a port; use the field port/],
  ['PORT', 'host', '[2001:db8::1]:5432', /without a port/],
  ['PING', 'host', 'gateway.example:80', /without a port/],
  ['PING', 'host', '-f', /starts with "-"/],
  ['PORT', 'host', '-db.example', /starts with "-"/],
  ['PORT', 'host', 'db.-eu.example', /starts with "-"/],
  ['HTTP', 'url', 'https://user:pass@-shop.example/', /starts with "-"/],
  ['KEYWORD', 'url', 'https://shop.-eu.example:8443/a', /starts with "-"/],
  ['SSL', 'url', '-shop.example', /starts with "-"/],
  ['DNS', 'url', 'https://shop.-eu.example/', /starts with "-"/],
  ['PING', 'host', `${'a'.repeat(64)}.example`, /more than 63 characters/],
  ['PORT', 'host', `db.${'a'.repeat(64)}`, /more than 63 characters/],
  ['HTTP', 'url', `https://${'a'.repeat(64)}.example/`, /more than 63 characters/],
  ['DNS', 'url', `${'a'.repeat(64)}.example`, /more than 63 characters/],
  ['DOMAIN', 'url', `${'a'.repeat(64)}.example`, /more than 63 characters/],
  ['DNS', 'url', 'shop.example:53', /must not have a port/],
  ['DNS', 'url', 'shop.example:443', /must not have a port/],
  ['DNS', 'url', 'https://shop.example:8443/a', /must not have a port/],
  ['PING', 'host', 'a..example', /empty part/],
  ['PING', 'host', '.example', /empty part/],
  ['PORT', 'host', 'db.example..', /empty part/],
  ['PORT', 'host', '.', /empty part/],
  ['HTTP', 'url', 'https://shop.exa\nmple/', /control characters/],
  ['HTTP', 'url', 'https://shop.example/a\tb', /control characters/],
  ['KEYWORD', 'url', 'https://shop.example/\u0085', /control characters/],
  ['HTTP', 'url', 'https:///shop.example', /http:\/\/ or https:\/\/ address/],
  ['HTTP', 'url', 'https://', /http:\/\/ or https:\/\/ address/],
  ['HTTP', 'url', 'https://?q', /http:\/\/ or https:\/\/ address/],
  ['HTTP', 'url', 'https://shop..example/', /empty part/],
  ['HTTP', 'url', 'https://shop.example:0/', /port 0/],
  ['SSL', 'url', 'shop.example:0', /port 0/],
  ['SSL', 'url', 'shop..example', /empty part/],
  ['DNS', 'url', 'https://a..b/', /empty part/],
  ['DNS', 'url', 'shop.exa\nmple', /address or a host name/],
  ['SSL', 'url', 'user:secret@shop.example', /user name or password: SSL checks do not use them/],
  ['SSL', 'url', 'https://token@shop.example/', /user name or password: SSL/],
  ['DNS', 'url', 'alice@corp.example:secret@shop.example', /user name or password: DNS/],
  ['DNS', 'url', '@shop.example', /user name or password: DNS/],
  ['DOMAIN', 'url', 'http:token@shop.example', /user name or password: DOMAIN/],
  ['PING', 'url', 'https://token:@shop.example/', /user name or password: PING/],
  ['CRON', 'url', 'https://user:secret@shop.example/', /user name or password: CRON/],
]

const possible: readonly (readonly [MonitorType, Field, string])[] = [
  ['DOMAIN', 'url', 'shop.example.co.uk'],
  ['DOMAIN', 'url', 'https://www.shop.example/path'],
  ['DOMAIN', 'url', 'münchen.example'],
  ['PING', 'host', '2001:db8::1'],
  ['PING', 'host', '[2001:db8::1]'],
  ['PORT', 'host', 'db.example.'],
  ['PORT', 'host', 'my_host'],
  ['PORT', 'host', 'x'.repeat(255)],
  ['PORT', 'host', Array(4).fill('x'.repeat(63)).join('.')],
  ['HTTP', 'url', `https://a.-b:${'c'.repeat(64)}.d@shop-.example/-a:80`],
  ['HTTP', 'url', 'http://localhost:8080/'],
  ['HTTP', 'url', 'https://[2001:db8::1]:8443/?q=a b'],
  ['HTTP', 'url', 'https://shop.example./'],
  ['HTTP', 'url', 'https://alice@corp.example:secret@shop.example/'],
  ['KEYWORD', 'url', 'https://token@shop.example/a@b'],
  ['SSL', 'url', 'shop.example:8443'],
  ['SSL', 'url', 'https://shop.example/a@b'],
  ['DNS', 'url', '_dmarc.shop.example'],
  ['DNS', 'url', `https://${'a'.repeat(63)}.example/-/a:80?b`],
  ['SSL', 'url', `shop-.example:443/${'a'.repeat(64)}.-b`],
]

describe('targets of monitors', () => {
  const api = useApi('sqlite')

  test('targets that can never work are a 400 that says why, at creation and in updates', async () => {
    const { client } = await api.tenant()
    const ids = new Map<MonitorType, string>()
    for (const [type, field, value, message] of hopeless) {
      const refused = await client.post('/monitors', smallest(type, { [field]: value }))
      expectError(refused, 'validation_error', [field])
      assert.match(refused.body.error.details[0].message, message, `${type} ${JSON.stringify(value)}`)
      const id = ids.get(type) ?? (await createMonitor(client, smallest(type))).id
      ids.set(type, id)
      expectError(await client.patch(`/monitors/${id}`, { [field]: value }), 'validation_error', [field])
    }
    assert.equal(await total(client), ids.size)
  })

  test('targets that may work are accepted', async () => {
    const { client } = await api.tenant()
    for (const [type, field, value] of possible) {
      assert.equal((await createMonitor(client, smallest(type, { [field]: value })))[field], value)
    }
  })

  test('the document accepts what the server accepts', async () => {
    const described = api.contract.document.components.schemas as Record<string, { properties?: Properties }>
    for (const [type, field, value] of possible) {
      const name = `Create${type.charAt(0)}${type.slice(1).toLowerCase()}Monitor`
      const pattern = described[name]?.properties?.[field]?.pattern
      assert.match(value, new RegExp(pattern ?? '^$', 'u'), `${type} ${value}`)
    }
  })

  test('the document refuses what the server refuses for its form', async () => {
    const described = api.contract.document.components.schemas as Record<string, { properties?: Properties }>
    for (const [type, field, value, message] of hopeless) {
      // What needs a list of domains, or the parts of an address as numbers.
      if (/can be registered|IP address|port 0|port; use|CRON|PING/.test(message.source)) continue
      const name = `Create${type.charAt(0)}${type.slice(1).toLowerCase()}Monitor`
      const pattern = described[name]?.properties?.[field]?.pattern
      assert.doesNotMatch(value, new RegExp(pattern ?? '', 'u'), `${type} ${value}`)
    }
  })

  earlierTargets(api)
})

type Properties = Record<string, { pattern?: string }>

function earlierTargets(api: Api): void {
  test('a target that an earlier version accepted does not prevent other changes', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('DOMAIN', { url: 'shop.example' }))
    await storeUrl(api, id, '192.0.2.7')
    const renamed = await client.patch(`/monitors/${id}`, { name: 'New', url: '192.0.2.7' })
    assert.deepEqual([renamed.status, renamed.body.name, renamed.body.url], [200, 'New', '192.0.2.7'])
    assert.equal((await client.post(`/monitors/${id}/pause`, {})).status, 200)
    expectError(await client.patch(`/monitors/${id}`, { url: '192.0.2.8' }), 'validation_error', ['url'])
    assert.equal((await current(client, id)).url, '192.0.2.7')
    assert.equal((await client.patch(`/monitors/${id}`, { type: 'SSL' })).status, 200)
    expectError(await client.patch(`/monitors/${id}`, { type: 'DOMAIN' }), 'validation_error', ['url'])
  })
}

/** Puts an address into the stored settings that the API would refuse. */
async function storeUrl(api: Api, id: string, url: string): Promise<void> {
  await api.server.running.database.write(function* () {
    const [row] = yield* execute(q.selectFrom('monitors').select('settings').where('id', '=', id))
    const settings = (row?.settings ?? '').replace('"url":"shop.example"', `"url":${JSON.stringify(url)}`)
    yield* execute(q.updateTable('monitors').set({ settings }).where('id', '=', id))
  })
}
