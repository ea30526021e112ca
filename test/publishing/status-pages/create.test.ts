import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { type Body, createPage, currentPage, showing, untouchedBy } from '../../support/status.ts'
import { storedAnswers } from '../../support/tables.ts'

/** A value other than the default for every field. */
const elaborate: Body = {
  name: 'Größe & Söhne – Störungen ☂',
  slug: 'groesse-2026',
  customDomain: 'status.groesse.example',
  description: 'Alles, was läuft.\nUnd was nicht.',
  published: false,
  visibility: 'PASSWORD',
  logoUrl: 'https://cdn.example/logo.svg?v=2#top',
  faviconUrl: 'http://cdn.example/favicon.ico',
  homepageUrl: 'https://groesse.example',
  contactUrl: 'https://groesse.example/hilfe/',
  theme: 'DARK',
  accentColor: '#0fA678',
  locale: 'de',
  timezone: 'Europe/Berlin',
  historyDays: 365,
  showUptime: false,
  showResponseTimes: true,
  hideFromSearch: true,
  subscribersEnabled: true,
}

const PASSWORD = 'geheim und lang'

forEachEngine('POST /status-pages', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  creation(api, clock)
  sections(api)
  passwords(api)
  plans(api)
})

function creation(api: Api, clock: HandClock): void {
  test('only a name is required; everything else has a default', async () => {
    const { client } = await api.tenant()
    const { id, slug, ...rest } = await createPage(client, { name: 'Plain' })
    const now = new Date(clock.now()).toISOString()
    const base = new URL(rest.url).origin
    assert.match(slug, /^plain(-\d+)?$/)
    assert.deepEqual(rest, {
      name: 'Plain',
      url: `${base}/status/${slug}`,
      customDomain: null,
      description: null,
      published: true,
      visibility: 'PUBLIC',
      passwordSet: false,
      logoUrl: null,
      faviconUrl: null,
      homepageUrl: null,
      contactUrl: null,
      theme: 'SYSTEM',
      accentColor: null,
      locale: 'en',
      timezone: 'UTC',
      historyDays: 90,
      showUptime: true,
      showResponseTimes: false,
      hideFromSearch: false,
      subscribersEnabled: false,
      sections: [],
      overallStatus: 'OPERATIONAL',
      createdAt: now,
      updatedAt: now,
    })
    assert.deepEqual(await currentPage(client, id), { id, slug, ...rest })
  })

  test('every field is stored as sent, and the url is that of the custom domain', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, { ...elaborate, password: PASSWORD })
    assert.partialDeepStrictEqual(page, elaborate)
    assert.deepEqual([page.url, page.passwordSet], ['https://status.groesse.example', true])
    assert.deepEqual(await currentPage(client, page.id), page)
  })

  test('texts of maximum length and all languages are accepted', async () => {
    const { client } = await api.tenant()
    const name = '😀'.repeat(120)
    const logoUrl = `https://a.example/${'x'.repeat(2048 - 'https://a.example/'.length)}`
    const extremes = { name, description: '😀'.repeat(1000), logoUrl, historyDays: 7, password: 'x'.repeat(128) }
    assert.partialDeepStrictEqual(await createPage(client, extremes), {
      name,
      logoUrl,
      historyDays: 7,
      passwordSet: true,
    })
    await createPage(client, { slug: `a-${'b'.repeat(61)}`, password: '12345678', description: '' })
    for (const locale of ['en', 'de', 'es', 'fr', 'ja', 'pt', 'zh']) {
      assert.equal((await createPage(client, { locale })).locale, locale)
    }
  })

  test('time zones are matched case-insensitively and stored in their canonical case; aliases are accepted', async () => {
    const { client } = await api.tenant()
    for (const [timezone, kept] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['utc', 'UTC'],
      ['Asia/Calcutta', 'Asia/Calcutta'],
      ['Etc/GMT+5', 'Etc/GMT+5'],
    ]) {
      assert.equal((await createPage(client, { timezone })).timezone, kept)
    }
  })
}

function sections(api: Api): void {
  test('sections keep their order and display names, and may be empty', async () => {
    const { client } = await api.tenant()
    const [a, b] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('HTTP'))]
    const wanted = [
      { name: 'Both', monitors: [{ monitorId: b.id, displayName: 'Shop – Kasse' }, { monitorId: a.id }] },
      { monitors: [{ displayName: null, monitorId: b.id }], name: 'One again' },
      { name: 'None' },
    ]
    const { id, sections } = await createPage(client, { sections: wanted })
    assert.deepEqual(sections, [
      {
        name: 'Both',
        monitors: [
          { monitorId: b.id, displayName: 'Shop – Kasse' },
          { monitorId: a.id, displayName: null },
        ],
      },
      { name: 'One again', monitors: [{ monitorId: b.id, displayName: null }] },
      { name: 'None', monitors: [] },
    ])
    assert.deepEqual((await currentPage(client, id)).sections, sections)
  })

  test('unknown monitors and those of other organizations are 400 with their paths, and nothing is created', async () => {
    const [{ client }, other] = [await api.tenant(), await api.tenant()]
    const [own, foreign] = [
      await createMonitor(client, smallest('CRON')),
      await createMonitor(other.client, smallest('CRON')),
    ]
    const answer = await untouchedBy(client, () =>
      client.post('/status-pages', {
        name: 'A',
        slug: 'never-made',
        sections: [
          { name: 'S', monitors: [{ monitorId: own.id }, { monitorId: 'mon_unknown' }, { monitorId: foreign.id }] },
          showing(foreign),
        ],
      }),
    )
    expectError(answer, 'validation_error', [
      'sections.0.monitors.1.monitorId',
      'sections.0.monitors.2.monitorId',
      'sections.1.monitors.0.monitorId',
    ])
    assert.equal((await createPage(client, { slug: 'never-made' })).slug, 'never-made')
  })

  test('a monitor may be in two sections, but not twice in one', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    await createPage(client, { sections: [showing(monitor), showing(monitor)] })
    const twice = await client.post('/status-pages', { name: 'A', sections: [showing(), showing(monitor, monitor)] })
    expectError(twice, 'validation_error', ['sections.1.monitors.1.monitorId'])
  })

  test('accepts 50 sections and 500 monitors per section, and no more', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    const entries = Array.from({ length: 501 }, (_, i) => ({ monitorId: i === 0 ? monitor.id : `mon_${i}` }))
    const over = await client.post('/status-pages', { name: 'A', sections: [{ name: 'S', monitors: entries }] })
    expectError(over, 'validation_error', ['sections.0.monitors'])
    const most = await client.post('/status-pages', {
      name: 'A',
      sections: [{ name: 'S', monitors: entries.slice(0, 500) }],
    })
    assert.match(most.body.error.message, /\(and at least 498 more\)$/)
    assert.equal(most.body.error.details[0].path, 'sections.0.monitors.1.monitorId')
    assert.equal((await createPage(client, { sections: new Array(50).fill(showing(monitor)) })).sections.length, 50)
  })
}

function passwords(api: Api): void {
  test('a password is never returned, and stored as a salted argon2 hash', async () => {
    const { client, orgId } = await api.tenant()
    const body = { name: 'Secret', visibility: 'PASSWORD', password: PASSWORD }
    const answers = [
      await client.post('/status-pages', body, { 'idempotency-key': 'one' }),
      await client.post('/status-pages', body),
      await client.get('/status-pages'),
    ]
    const stored = await api.server.running.database.read(
      execute(q.selectFrom('status_pages').selectAll().where('org_id', '=', orgId)),
    )
    const everything = JSON.stringify([
      answers.map((answer) => answer.body),
      stored,
      await storedAnswers(api.server, orgId),
    ])
    assert.ok(!everything.includes(PASSWORD))
    const hashes = stored.map((row) => row.password_hash ?? '')
    for (const hash of hashes) assert.match(hash, /^\$argon2id\$v=19\$m=\d+,t=\d+,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.notEqual(hashes[0], hashes[1])
    assert.ok(answers.slice(0, 2).every((answer) => answer.body.passwordSet === true))
  })

  test('a public page may have a password', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, { password: PASSWORD })
    assert.deepEqual([page.visibility, page.passwordSet], ['PUBLIC', true])
  })
}

function plans(api: Api): void {
  test('an unpublished page counts for the plan, a deleted one does not; faults and conflicts come first', async () => {
    const { client } = await api.tenant('FREE')
    const { id, slug } = await createPage(client, { published: false })
    expectError(await client.post('/status-pages', {}), 'validation_error', ['name'])
    expectError(await client.post('/status-pages', { name: 'A', slug }), 'conflict')
    expectError(await client.post('/status-pages', { name: 'A' }), 'plan_limit')
    await client.delete(`/status-pages/${id}`)
    await createPage(client)
  })
}

forEachEngine('POST /status-pages on an installation with a domain', (engine) => {
  const api = useApi(engine, { env: { PHAROS_BASE_URL: 'https://pharos.example' } })

  test('page urls begin with the base URL, and neither its host nor a name below it can be a custom domain', async () => {
    const { client } = await api.tenant()
    assert.equal((await createPage(client, { slug: 'own' })).url, 'https://pharos.example/status/own')
    for (const customDomain of ['pharos.example', 'PHAROS.example', 'status.pharos.example', 'a.b.pharos.example']) {
      const answer = await client.post('/status-pages', { name: 'A', customDomain })
      expectError(answer, 'validation_error', ['customDomain'])
    }
    assert.equal(
      (await createPage(client, { customDomain: 'status-pharos.example' })).url,
      'https://status-pharos.example',
    )
  })
})
