import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import { notifyWatchers } from '../../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { claim, joinByInvitation, Person, useInstallation } from '../../support/person.ts'
import { migratedDatabase } from '../../support/postgres.ts'
import { startTestServer } from '../../support/server.ts'
import { listen } from './stream.ts'

const timeouts = { headersMs: 10_000, bodyMs: 10_000, drainMs: 10_000, beatMs: 50 }

forEachEngine('the stream of events', (engine) => {
  const installation = useInstallation(engine, { timeouts })

  test('reports changes by keys, sessions and checks of its own organization only', async () => {
    const { server, owner } = installation
    await using stream = await listen(server, owner)
    assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream; charset=utf-8'])
    await stream.until('hello')
    const { key } = await server.organization('SELF_HOSTED')
    const { body: foreign } = await server.client(key).post('/monitors', { name: 'theirs', type: 'CRON' })
    const { body: mine } = await server
      .client()
      .post('/monitors', { name: 'mine', type: 'PORT', host: '127.0.0.1', port: 1 })
    await stream.until('change', { kind: 'monitor', id: mine.id })
    const { body: contact } = await owner.post('/v1/contacts', {
      name: 'Hook',
      channel: 'WEBHOOK',
      settings: { url: 'https://example.com/' },
    })
    await stream.until('change', { kind: 'contact', id: contact.id })
    const before = stream.heard.length
    await owner.post(`/v1/monitors/${mine.id}/check`, {})
    await stream.until('change', { kind: 'incident', id: null })
    assert.ok(stream.heard.slice(before).some(({ data }) => data.id === mine.id))
    assert.ok(!JSON.stringify(stream.heard).includes(foreign.id))
  })

  test('reports committed changes only', async () => {
    const { server, owner } = installation
    const { database } = server.running
    const orgId = await server.defaultOrgId()
    await using stream = await listen(server, owner)
    const failing = database.write(function* () {
      yield* notifyWatchers({ orgId, kind: 'monitor', id: 'mon_undone' })
      throw new Error('undone')
    })
    const standing = database.write(() => notifyWatchers({ orgId, kind: 'monitor', id: 'mon_done' }))
    await assert.rejects(failing, /undone/)
    await standing
    await stream.until('change', { kind: 'monitor', id: 'mon_done' })
    assert.ok(!JSON.stringify(stream.heard).includes('mon_undone'))
  })

  test('resumes from the last event, or sends reset', async () => {
    const { server, owner } = installation
    let lastId = ''
    {
      await using stream = await listen(server, owner)
      lastId = (await stream.until('hello')).id
    }
    const { body } = await owner.post('/v1/monitors', { name: 'meanwhile', type: 'CRON' })
    {
      await using back = await listen(server, owner, lastId)
      await back.until('change', { kind: 'monitor', id: body.id })
      lastId = back.heard.at(-1)?.id as string
      assert.ok(!back.heard.some(({ event }) => event === 'reset' || event === 'hello'))
    }
    for (const strange of ['00000000-1', 'nonsense', `${lastId}999999`]) {
      await using lost = await listen(server, owner, strange)
      await lost.until('reset')
    }
    const orgId = await server.defaultOrgId()
    await server.running.database.write(function* () {
      for (let i = 0; i < 5_000; i += 1) yield* notifyWatchers({ orgId, kind: 'monitor', id: `mon_${i}` })
    })
    await using late = await listen(server, owner, lastId)
    await late.until('reset')
  })

  test('ends after sign-out or removal from the organization, and sends keep-alive comments otherwise', async () => {
    const { server, owner } = installation
    const [leaver, removed] = [
      await joinByInvitation(installation, 'l@example.com', 'VIEWER'),
      await joinByInvitation(installation, 'r@example.com', 'VIEWER'),
    ]
    await using first = await listen(server, leaver)
    await using second = await listen(server, removed)
    await using third = await listen(server, owner)
    const { body: me } = await removed.get('/me')
    await leaver.post('/sign-out')
    await owner.delete(`/members/${me.user.id}`)
    await eventually(async () => assert.ok(first.hasEnded && second.hasEnded))
    await eventually(async () => assert.ok(third.beats >= 2 && !third.hasEnded))
  })

  test('requires membership and limits streams per session', async () => {
    const { server, owner } = installation
    await using stranger = await listen(server, new Person(server))
    assert.equal(stranger.status, 401)
    const { orgId } = await server.organization('FREE')
    await using outsider = await listen(server, owner, undefined, `?organization=${orgId}`)
    assert.equal(outsider.status, 404)
    await using all = new AsyncDisposableStack()
    const person = await installation.signInOwner()
    for (let i = 0; i < 10; i += 1) {
      const stream = all.use(await listen(server, person, undefined, '?organization=default'))
      assert.equal(stream.status, 200)
    }
    await using surplus = await listen(server, person)
    assert.equal(surplus.status, 429)
  })
})

forEachEngine('a window that is closed', (engine) => {
  // Uses the normal keep-alive interval: the next keep-alive would notice the closed stream anyway.
  const installation = useInstallation(engine, {})

  test('frees its slot at once when it is closed', async () => {
    const { server, owner } = installation
    const openAndClose = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asking = get(`${server.url}/app/api/events`, { headers: { cookie: owner.cookie } }, (answer) => {
          resolve(answer.statusCode)
          asking.destroy()
        }).on('error', reject)
      })
    for (let i = 0; i < 25; i += 1) {
      await eventually(async () => assert.equal(await openAndClose(), 200))
    }
  })
})

forEachEngine('a server that stops', (engine) => {
  test('does not wait for open streams', async () => {
    // Longer than a test may take: a stop that waited would fail.
    const patient = { ...timeouts, drainMs: 3_600_000 }
    await using server = await startTestServer(engine, { timeouts: patient, env: { PHAROS_ROLES: 'api' } })
    await using stream = await listen(server, await claim(server))
    await stream.until('hello')
    await server.stop()
    await eventually(async () => assert.ok(stream.hasEnded))
  })
})

test('streams of one node report commits of another node', { skip: withoutPostgres }, async () => {
  const created = await migratedDatabase()
  const options = { timeouts, env: { PHAROS_ROLES: 'api' }, databaseUrl: created.url }
  try {
    await using one = await startTestServer('postgres', options)
    const owner = await claim(one)
    await using two = await startTestServer('postgres', options)
    await using stream = await listen(two, owner)
    await stream.until('hello')
    // The other node begins to send a moment after the stream has opened.
    await eventually(async () => {
      await owner.post('/v1/monitors', { name: 'first', type: 'CRON' })
      assert.ok(stream.heard.some(({ event }) => event === 'change'))
    })
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) ids.push((await owner.post('/v1/monitors', { name: `m${i}`, type: 'CRON' })).body.id)
    for (const id of ids) await stream.until('change', { kind: 'monitor', id })
  } finally {
    await created.drop()
  }
})
