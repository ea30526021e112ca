import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAskCheck } from '../../../src/server/public/tls-ask.ts'
import { BASE, ownPage, startScene, verifiedPage } from '../../attacks/custom-domain-scene.ts'
import { fetchPage } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'

forEachEngine('the question whether a domain may have a certificate', (engine) => {
  test('is answered for verified domains only, and not to visitors', async () => {
    await using scene = await startScene(engine)
    const ask = async (domain: string, headers: Record<string, string> = {}) => {
      const answer = await fetchPage(`${scene.server.url}/internal/tls-ask?domain=${encodeURIComponent(domain)}`, {
        headers,
      })
      return { ...answer, text: answer.text.replace(/req_\w+/, '') }
    }
    const nothing = await fetchPage(`${scene.server.url}/internal/nothing`)
    await ownPage(scene, 'Claimed', 'claimed.example')
    await verifiedPage(scene, 'Acme', 'status.acme.example')

    for (const domain of ['status.acme.example', 'STATUS.Acme.example']) {
      const { status, text } = await ask(domain)
      assert.deepEqual([status, text], [200, ''], domain)
    }
    for (const domain of [
      'claimed.example',
      'acme.example',
      'x.status.acme.example',
      BASE,
      '127.0.0.1',
      '',
      ' ',
      'a b',
    ])
      assert.equal((await ask(domain)).status, 404, domain)
    assert.equal((await fetchPage(`${scene.server.url}/internal/tls-ask`)).status, 404)
    // The proxy adds this header to what it forwards for visitors.
    const forwarded = await ask('status.acme.example', { 'x-forwarded-for': '203.0.113.9' })
    assert.deepEqual([forwarded.status, forwarded.text], [404, nothing.text.replace(/req_\w+/, '')])
  })

  test('is refused after many unknown domains, but not for those that are served', async () => {
    await using scene = await startScene(engine, { PHAROS_OPEN_SIGNUP: 'false' })
    await ownPage(scene, 'Acme', 'status.acme.example')
    await ownPage(scene, 'Shop', 'status.shop.example')
    const ask = (domain: string) => fetchPage(`${scene.server.url}/internal/tls-ask?domain=${domain}`)
    assert.equal((await ask('status.acme.example')).status, 200)
    const statuses = await Promise.all(Array.from({ length: 130 }, async (_, i) => (await ask(`n${i}.example`)).status))
    assert.ok(statuses.includes(404))
    const refused = await ask('next.example')
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    for (const domain of ['status.acme.example', 'status.shop.example']) {
      assert.equal((await ask(domain)).status, 200, domain)
    }
  })
})

test('only loopback and trusted proxies may ask whether a domain may have a certificate', () => {
  const mayAsk = createAskCheck(['10.1.0.0/16', '2001:db8::1'])
  const from = (remoteAddress: string, headers = {}) => mayAsk({ headers, socket: { remoteAddress } })
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1'])
    assert.ok(from(address), address)
  for (const address of ['10.2.0.1', '203.0.113.9', '2001:db8::2']) assert.ok(!from(address), address)
  assert.ok(!from('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }))
})
