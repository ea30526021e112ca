import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { actionsOf, apply, everything, idOf, plan } from './support.ts'

forEachEngine('applying a document with new addresses', (engine) => {
  const api = useApi(engine)

  test('keeps logins and dialogues of the document when their monitors get another address', async () => {
    const { client } = await api.tenant()
    const document = (host: string) => ({
      version: 1,
      monitors: {
        shop: { ...everything.monitors.shop, url: `https://${host}/` },
        cache: {
          name: 'Cache',
          type: 'PORT',
          host,
          port: 6379,
          dialogue: { steps: [{ send: 'AUTH x\r\n', expect: '+OK' }] },
        },
      },
    })
    await apply(client, document('one.example'))
    await apply(client, document('two.example'))
    const optionOf = async (name: string, option: string) =>
      (await client.get(`/monitors/${await idOf(client, '/monitors', name)}/${option}`)).body
    assert.equal((await optionOf('Shop', 'request')).auth.password, 'set')
    assert.deepEqual((await optionOf('Cache', 'dialogue')).steps, [{ send: 'set', expect: '+OK' }])
    assert.deepEqual(actionsOf((await plan(client, document('two.example'))).changes), [])
  })
})
