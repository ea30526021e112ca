import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import { execute, q } from '../../src/storage/query.ts'
import { fetchPage } from '../publishing/public-site/fixtures.ts'
import { SERVFAIL } from '../support/dns-server.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { BASE, ownPage, proofOf, startScene, strangersPage, untilState, verifiedPage } from './custom-domain-scene.ts'

forEachEngine('a custom domain', (engine) => {
  test("a stranger's domain is not served until its TXT record names the page", async () => {
    await using scene = await startScene(engine)
    const { zone, owner, pageOn, server } = scene
    zone.set('status.victim.example CNAME', { records: [BASE] })
    const id = await ownPage(scene, 'Fake', 'status.victim.example')
    const waiting = await untilState(scene, id, 'WAITING')
    assert.equal(waiting.isServed, false)
    assert.deepEqual(waiting.found, [`CNAME ${BASE}`])
    assert.equal(await pageOn('status.victim.example'), null)
    const { body } = await owner.get(`/v1/status-pages/${id}`)
    assert.equal(body.url, `https://${BASE}/status/${body.slug}`, 'the address is where the page is')
    const slug = await fetchPage(`${server.url}/status/${body.slug}`)
    assert.doesNotMatch(slug.text, /status\.victim\.example/)

    const proof = await proofOf(scene, id)
    assert.equal(proof.name, '_pharos-verify.status.victim.example')
    for (const record of ['pharos-page=0', `pharos-page=${id}`, `${proof.value}0`]) {
      zone.set(`${proof.name} TXT`, { records: [record] })
      const { body: checked } = await owner.post(`/v1/status-pages/${id}/domain/check`)
      assert.equal(checked.state, 'WAITING', record)
      assert.ok(checked.found.includes(`TXT ${record}`))
      assert.equal(await pageOn('status.victim.example'), null)
    }
    zone.set(`${proof.name} TXT`, { records: ['v=spf1 -all', proof.value] })
    const { body: verified } = await owner.post(`/v1/status-pages/${id}/domain/check`)
    assert.deepEqual([verified.state, verified.isServed, verified.dns.cname], ['VERIFIED', true, BASE])
    assert.equal(await pageOn('status.victim.example'), 'Fake')
    assert.equal((await owner.get(`/v1/status-pages/${id}`)).body.url, 'https://status.victim.example')
  })

  test('the worker finds the proof by itself, also as a CNAME to the name of the page', async () => {
    await using scene = await startScene(engine)
    const { zone, clock, pageOn } = scene
    const id = await ownPage(scene, 'Acme', 'status.acme.example')
    await untilState(scene, id, 'WAITING')
    const token = (await proofOf(scene, id)).value.replace('pharos-page=', '')
    zone.set('status.acme.example CNAME', { records: [`${token}.${BASE}`] })
    clock.advance(2 * MINUTE_MS)
    await untilState(scene, id, 'VERIFIED')
    assert.equal(await pageOn('status.acme.example'), 'Acme')
  })

  test('another domain for a proven page needs its own proof', async () => {
    await using scene = await startScene(engine)
    const { id } = await verifiedPage(scene, 'Acme', 'status.acme.example')
    await scene.owner.patch(`/v1/status-pages/${id}`, { customDomain: 'status.victim.example' })
    await untilState(scene, id, 'WAITING')
    assert.equal(await scene.pageOn('status.victim.example'), null)
    assert.equal(await scene.pageOn('status.acme.example'), null)
  })

  test('without open sign-up no proof is needed, unless the operator requires it', async () => {
    await using scene = await startScene(engine, { PHAROS_OPEN_SIGNUP: 'false' })
    const id = await ownPage(scene, 'Acme', 'status.acme.example')
    assert.equal((await scene.domainOf(id)).state, 'NOT_REQUIRED')
    assert.equal(await scene.pageOn('status.acme.example'), 'Acme')
    await using strict = await startScene(engine, { PHAROS_OPEN_SIGNUP: 'false', PHAROS_DOMAIN_PROOF: 'required' })
    await untilState(strict, await ownPage(strict, 'Acme', 'status.acme.example'), 'WAITING')
    assert.equal(await strict.pageOn('status.acme.example'), null)
  })
})

forEachEngine('a name that is reserved', (engine) => {
  test('the host of the installation and the names below it cannot be claimed', async () => {
    await using scene = await startScene(engine, { PHAROS_OPEN_SIGNUP: 'false' })
    const { owner, pageOn } = scene
    const id = await ownPage(scene, 'Fake', null)
    for (const customDomain of [BASE, `www.${BASE}`, `WWW.${BASE}`, `a.b.${BASE}`]) {
      for (const answer of [
        await owner.post('/v1/status-pages', { name: 'Fake', customDomain }),
        await owner.patch(`/v1/status-pages/${id}`, { customDomain }),
      ]) {
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'validation_error'], customDomain)
        assert.match(answer.body.error.message, /^customDomain .*this installation/)
      }
      assert.equal(await pageOn(customDomain), null)
    }
  })

  test('a name below the host that was claimed before is not served', async () => {
    await using scene = await startScene(engine, { PHAROS_OPEN_SIGNUP: 'false' })
    const { server, pageOn } = scene
    const id = await ownPage(scene, 'Fake', 'status.acme.example')
    const domain = `www.${BASE}`
    await server.running.database.write(function* () {
      yield* execute(q.updateTable('status_page_domains').set({ domain, verified_at: 1 }).where('page_id', '=', id))
      yield* execute(q.updateTable('status_pages').set({ custom_domain: domain }).where('id', '=', id))
    })
    assert.equal(await pageOn(domain), null)
    assert.equal((await scene.domainOf(id)).state, 'RESERVED')
    const { body } = await scene.owner.patch(`/v1/status-pages/${id}`, { customDomain: 'status.acme.example' })
    assert.equal(body.url, 'https://status.acme.example')
    assert.equal(await pageOn('status.acme.example'), 'Fake')
  })
})

forEachEngine('the Host header', (engine) => {
  const open = { PHAROS_OPEN_SIGNUP: 'false' }
  const forwarded = { 'x-forwarded-host': 'status.acme.example' }

  test('X-Forwarded-Host does not select a page', async () => {
    await using scene = await startScene(engine, open)
    await ownPage(scene, 'Acme', 'status.acme.example')
    assert.equal(await scene.pageOn(BASE, forwarded), null)
    assert.equal(await scene.pageOn('10.0.0.1', forwarded), null)
    assert.equal(await scene.pageOn('status.acme.example', { 'x-forwarded-host': BASE }), 'Acme')
  })

  test('a header that the operator names selects a page, from trusted proxies only', async () => {
    const named = { ...open, PHAROS_HOST_HEADER: 'X-Forwarded-Host' }
    await using trusted = await startScene(engine, named)
    await ownPage(trusted, 'Acme', 'status.acme.example')
    assert.equal(await trusted.pageOn('10.0.0.1', forwarded), 'Acme')
    const appended = { 'x-forwarded-host': `status.acme.example, ${BASE}` }
    assert.equal(await trusted.pageOn('10.0.0.1', appended), null, 'the proxy has appended its value')
    await using untrusted = await startScene(engine, { ...named, PHAROS_TRUST_PROXY: '192.0.2.0/24' })
    await ownPage(untrusted, 'Acme', 'status.acme.example')
    assert.equal(await untrusted.pageOn(BASE, forwarded), null)
    assert.equal(await untrusted.pageOn('status.acme.example'), 'Acme')
  })
})

forEachEngine('taking over a custom domain', (engine) => {
  test('the owner of a domain takes it from a page that has no proof', async () => {
    await using scene = await startScene(engine)
    const { owner, stranger, zone, pageOn } = scene
    const squatting = await strangersPage(scene, 'Squatter', 'status.acme.example')
    const id = await ownPage(scene, 'Acme', null)
    const change = () => owner.patch(`/v1/status-pages/${id}`, { customDomain: 'status.acme.example' })
    const refused = await change()
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    const [, name = '', value = ''] = /TXT record (\S+) with the value (\S+) /.exec(refused.body.error.message) ?? []
    assert.equal(name, '_pharos-verify.status.acme.example')
    const { body: created } = await owner.post('/v1/status-pages', { name: 'B', customDomain: 'status.acme.example' })
    assert.equal(created.error.code, 'conflict')

    zone.set(`${name} TXT`, { records: [value] })
    const taken = await change()
    assert.deepEqual([taken.status, taken.body.url], [200, 'https://status.acme.example'])
    assert.equal(await pageOn('status.acme.example'), 'Acme')
    const { body: loser } = await stranger.get(`/status-pages/${squatting}`)
    assert.deepEqual([loser.customDomain, loser.url], [null, `https://${BASE}/status/squatter`])
    assert.equal((await scene.domainOf(id)).state, 'VERIFIED')
    const again = await stranger.patch(`/status-pages/${squatting}`, { customDomain: 'status.acme.example' })
    assert.equal(again.status, 409)
  })

  test('a proven domain stays with its page, also when the record of another page is added', async () => {
    await using scene = await startScene(engine)
    const { server, stranger, zone, pageOn } = scene
    const { proof } = await verifiedPage(scene, 'Acme', 'status.acme.example')
    const rival = await strangersPage(scene, 'Rival', null)
    const [row] = await server.running.database.read(
      execute(q.selectFrom('status_pages').select('domain_token').where('id', '=', rival)),
    )
    zone.set(`${proof.name} TXT`, { records: [proof.value, `pharos-page=${row?.domain_token}`] })
    const answer = await stranger.patch(`/status-pages/${rival}`, { customDomain: 'status.acme.example' })
    assert.equal(answer.status, 409)
    assert.equal(await pageOn('status.acme.example'), 'Acme')
  })

  test('of many concurrent take-overs the owner alone gets the domain', async () => {
    await using scene = await startScene(engine)
    const { owner, stranger, zone } = scene
    await strangersPage(scene, 'Squatter', 'status.acme.example')
    const id = await ownPage(scene, 'Acme', null)
    const { message } = (await owner.patch(`/v1/status-pages/${id}`, { customDomain: 'status.acme.example' })).body
      .error
    const [, name, value = ''] = /TXT record (\S+) with the value (\S+) /.exec(message) ?? []
    zone.set(`${name} TXT`, { records: [value] })
    const rivals = await Promise.all([1, 2, 3].map((n) => strangersPage(scene, `Rival ${n}`, null)))
    const customDomain = 'status.acme.example'
    const answers = await Promise.all([
      owner.patch(`/v1/status-pages/${id}`, { customDomain }),
      ...rivals.map((rival) => stranger.patch(`/status-pages/${rival}`, { customDomain })),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 409, 409, 409],
    )
  })
})

forEachEngine('a claim without a proof', (engine) => {
  test('an unproven claim ends after seven days, and the domain is free', async () => {
    await using scene = await startScene(engine)
    const { clock, owner, stranger } = scene
    const id = await ownPage(scene, 'Squatter', 'status.acme.example')
    const { expiresAt } = await untilState(scene, id, 'WAITING')
    assert.equal(Date.parse(expiresAt), clock.now() + 7 * DAY_MS)
    assert.equal((await stranger.post('/status-pages', { name: 'A', customDomain: 'status.acme.example' })).status, 409)
    clock.advance(7 * DAY_MS - HOUR_MS)
    await eventually(async () => {
      assert.equal(Date.parse((await scene.domainOf(id)).checkedAt), clock.now())
    })
    assert.equal((await scene.domainOf(id)).state, 'WAITING')
    clock.advance(HOUR_MS)
    await eventually(async () => assert.equal((await scene.domainOf(id)).state, 'NONE'))
    const { lost } = await scene.domainOf(id)
    assert.deepEqual([lost.domain, lost.reason], ['status.acme.example', 'EXPIRED'])
    const { body } = await owner.get(`/v1/status-pages/${id}`)
    assert.deepEqual([body.customDomain, body.published], [null, true], 'the page itself stays')
    await strangersPage(scene, 'Acme', 'status.acme.example')
    assert.equal((await owner.patch(`/v1/status-pages/${id}`, { customDomain: 'status.acme.example' })).status, 409)
    await owner.patch(`/v1/status-pages/${id}`, { customDomain: 'other.acme.example' })
    assert.equal((await scene.domainOf(id)).lost, null)
  })

  test('a claim does not end while DNS gives no answer', async () => {
    await using scene = await startScene(engine)
    const { clock } = scene
    const id = await ownPage(scene, 'Acme', 'status.acme.example')
    await untilState(scene, id, 'WAITING')
    scene.outage = SERVFAIL
    clock.advance(8 * DAY_MS)
    const { checkError } = await untilState(scene, id, 'WAITING', true)
    assert.match(checkError, /SERVFAIL/)
    scene.outage = undefined
    clock.advance(HOUR_MS)
    await eventually(async () => assert.equal((await scene.domainOf(id)).state, 'NONE'))
  })
})

forEachEngine('a proof that disappears', (engine) => {
  test('a resolver that fails for ten days takes no page down', async () => {
    await using scene = await startScene(engine)
    const { clock, pageOn } = scene
    const { id } = await verifiedPage(scene, 'Acme', 'status.acme.example')
    for (const [outage, reason] of [
      [SERVFAIL, /SERVFAIL/],
      [null, /no DNS server answered in time/],
    ] as const) {
      scene.outage = outage
      clock.advance(10 * DAY_MS)
      await eventually(async () => {
        const { state, checkError } = await scene.domainOf(id)
        assert.equal(state, 'VERIFIED')
        assert.match(checkError ?? '', reason)
      })
      assert.equal(await pageOn('status.acme.example'), 'Acme')
    }
    scene.outage = undefined
    clock.advance(DAY_MS)
    await untilState(scene, id, 'VERIFIED')
  })

  test('a page whose proof is gone is served for three days more, and again when the proof is back', async () => {
    await using scene = await startScene(engine)
    const { clock, zone, owner, pageOn } = scene
    const { id, proof } = await verifiedPage(scene, 'Acme', 'status.acme.example')
    zone.set(`${proof.name} TXT`, { records: ['pharos-page=other'] })
    clock.advance(DAY_MS)
    const failing = await untilState(scene, id, 'FAILING')
    assert.deepEqual(failing.found, ['TXT pharos-page=other'])
    assert.equal(Date.parse(failing.servedUntil), clock.now() + 3 * DAY_MS)
    assert.equal(await pageOn('status.acme.example'), 'Acme')
    clock.advance(3 * DAY_MS)
    const unproven = await untilState(scene, id, 'UNPROVEN')
    assert.equal(unproven.isServed, false)
    assert.equal(await pageOn('status.acme.example'), null)
    zone.set(`${proof.name} TXT`, { records: [proof.value] })
    assert.equal((await owner.post(`/v1/status-pages/${id}/domain/check`)).body.state, 'VERIFIED')
    assert.equal(await pageOn('status.acme.example'), 'Acme')
  })
})
