import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { type Body, createPage, currentPage, showing, untouchedBy } from '../../support/status.ts'

/** A different value for every field. */
const changes: Body = {
  name: 'Other',
  slug: 'quite-another',
  customDomain: 'another.example.com',
  description: 'Something',
  published: false,
  visibility: 'PASSWORD',
  logoUrl: 'https://a.example/logo.png',
  faviconUrl: 'https://a.example/favicon.png',
  homepageUrl: 'https://a.example/',
  contactUrl: 'https://a.example/contact',
  theme: 'LIGHT',
  accentColor: '#123456',
  locale: 'pt',
  timezone: 'America/Sao_Paulo',
  historyDays: 30,
  showUptime: false,
  showResponseTimes: true,
  hideFromSearch: true,
  subscribersEnabled: true,
  sections: [{ name: 'Empty', monitors: [] }],
}

forEachEngine('PATCH /status-pages/{statusPageId}', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  fields(api, clock)
  sections(api)
  passwords(api)
})

function fields(api: Api, clock: HandClock): void {
  test('changing one field changes nothing else except updatedAt and derived fields', async () => {
    const { client } = await api.tenant()
    let before = await createPage(client, { password: 'a password' })
    for (const [field, value] of Object.entries(changes)) {
      clock.advance(1_000)
      const { body } = await client.patch(`/status-pages/${before.id}`, { [field]: value })
      const isName = field === 'slug' || field === 'customDomain'
      const updatedAt = new Date(clock.now()).toISOString()
      assert.deepEqual(body, { ...before, [field]: value, updatedAt, ...(isName && { url: body.url }) }, field)
      assert.deepEqual(await currentPage(client, before.id), body)
      if (isName) assert.notEqual(body.url, before.url)
      before = body
    }
    await client.delete(`/status-pages/${before.id}`)
  })

  test('a change without effect does not change updatedAt', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    const before = await createPage(client, { sections: [showing(monitor)], customDomain: 'same.example.com' })
    clock.advance(1_000)
    const { id, url: _url, passwordSet: _set, overallStatus: _status, createdAt: _created, ...rest } = before
    const { updatedAt: _updated, ...same } = rest
    assert.deepEqual((await client.patch(`/status-pages/${id}`, same)).body, before)
    assert.deepEqual((await client.patch(`/status-pages/${id}`, {})).body, before)
    assert.deepEqual((await client.patch(`/status-pages/${id}`, { sections: [showing(monitor)] })).body, before)
  })

  test('nullable fields can be reset to null', async () => {
    const { client } = await api.tenant()
    const nullable = [
      'customDomain',
      'description',
      'logoUrl',
      'faviconUrl',
      'homepageUrl',
      'contactUrl',
      'accentColor',
    ]
    const { id } = await createPage(client, Object.fromEntries(nullable.map((field) => [field, changes[field]])))
    const nothing = Object.fromEntries(nullable.map((field) => [field, null]))
    assert.partialDeepStrictEqual((await client.patch(`/status-pages/${id}`, nothing)).body, nothing)
    for (const field of [
      'name',
      'slug',
      'published',
      'visibility',
      'password',
      'theme',
      'locale',
      'timezone',
      'sections',
    ]) {
      expectError(await client.patch(`/status-pages/${id}`, { [field]: null }), 'validation_error', [field])
    }
  })

  test('with one fault nothing is applied, and all faults are reported', async () => {
    const { client } = await api.tenant()
    const { id } = await createPage(client)
    const body = { name: 'New', historyDays: 1, locale: 'xx', accentColor: 'x', url: 'x' }
    const answer = await untouchedBy(client, () => client.patch(`/status-pages/${id}`, body))
    expectError(answer, 'validation_error', ['accentColor', 'historyDays', 'locale', 'url'])
  })
}

function sections(api: Api): void {
  test('sections are replaced as a whole and count at once', async () => {
    const { client } = await api.tenant()
    const [a, b] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    const { id } = await createPage(client, { sections: [showing(a), showing(a, b)] })
    const { body } = await client.patch(`/status-pages/${id}`, { sections: [showing(b)] })
    assert.deepEqual(body.sections, [{ name: 'All', monitors: [{ monitorId: b.id, displayName: null }] }])
    const rows = await api.server.running.database.read(
      execute(
        q
          .selectFrom('status_page_monitors as p')
          .innerJoin('monitors as m', 'm.num', 'p.num')
          .select('m.id')
          .where('p.page_id', '=', id),
      ),
    )
    assert.deepEqual(
      rows.map((row) => row.id),
      [b.id],
    )
  })

  test('an unknown monitor is 400 with its path, and nothing is applied', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    const { id } = await createPage(client, { sections: [showing(monitor)] })
    const body = { name: 'Not applied', sections: [showing(monitor), showing(monitor, { id: 'mon_x' })] }
    const answer = await untouchedBy(client, () => client.patch(`/status-pages/${id}`, body))
    expectError(answer, 'validation_error', ['sections.1.monitors.1.monitorId'])
    expectError(await client.patch('/status-pages/page_x', body), 'not_found')
  })
}

function passwords(api: Api): void {
  test('PASSWORD needs a password, in this request or set before', async () => {
    const { client } = await api.tenant()
    const { id } = await createPage(client)
    const patch = (body: Body) => client.patch(`/status-pages/${id}`, body)
    const answer = await untouchedBy(client, () => patch({ visibility: 'PASSWORD', name: 'Not applied' }))
    expectError(answer, 'validation_error', ['password'])
    assert.partialDeepStrictEqual((await patch({ visibility: 'PASSWORD', password: 'long enough' })).body, {
      visibility: 'PASSWORD',
      passwordSet: true,
    })
    assert.partialDeepStrictEqual((await patch({ visibility: 'PUBLIC' })).body, { passwordSet: true })
    assert.partialDeepStrictEqual((await patch({ visibility: 'PASSWORD' })).body, { passwordSet: true })
  })

  test('a new password replaces the old one', async () => {
    const { client } = await api.tenant()
    const { id } = await createPage(client, { password: 'the first one' })
    const stored = async () => {
      const [row] = await api.server.running.database.read(
        execute(q.selectFrom('status_pages').select('password_hash').where('id', '=', id)),
      )
      return row?.password_hash
    }
    const first = await stored()
    await client.patch(`/status-pages/${id}`, { name: 'Renamed' })
    assert.equal(await stored(), first)
    await client.patch(`/status-pages/${id}`, { password: 'the second one' })
    assert.notEqual(await stored(), first)
  })
}
