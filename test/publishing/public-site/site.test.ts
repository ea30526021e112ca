import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { addDailyRollups, createMonitor, createPage, fetchPage, publishIncident, setMonitorState } from './fixtures.ts'

function hashesOfScripts(text: string): readonly string[] {
  return text
    .split('<script>')
    .slice(1)
    .map(
      (rest) =>
        `'sha256-${createHash('sha256')
          .update(rest.slice(0, rest.indexOf('</script>')))
          .digest('base64')}'`,
    )
}

forEachEngine('requests for a status page', (engine) => {
  const api = useApi(engine)
  const at = (path: string): string => `${api.server.url}/status/${path}`

  test('serves the page by its slug, with and without a trailing slash', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [await createMonitor(client, 'Shop')], { name: 'My page' })
    const [plain, slashed] = [await fetchPage(at(page.slug)), await fetchPage(at(`${page.slug}/`))]
    assert.equal(plain.status, 200)
    assert.equal(plain.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(plain.text, /^<!doctype html>\n<html lang="en" dir="ltr">/)
    assert.match(plain.text, /<h1><bdi>My page<\/bdi><\/h1>/)
    assert.match(plain.text, /<bdi>Shop<\/bdi>/)
    assert.equal(slashed.text, plain.text)
  })

  test('contains one script that the content security policy names, no inline style and nothing that it forbids', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [await createMonitor(client, 'Shop')], { accentColor: '#ff00aa' })
    const { text, headers } = await fetchPage(at(page.slug))
    assert.doesNotMatch(text, /<script[^>]|<style|style=|\son\w+=|<iframe|<object|<embed|<base/i)
    const policy = String(headers['content-security-policy'])
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.deepEqual([/script-src ([^;]*)/.exec(policy)?.[1]], hashesOfScripts(text))
    for (const part of ["default-src 'none'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    for (const [, href] of text.matchAll(/rel="stylesheet" href="([^"]+)"/g)) {
      const sheet = await fetchPage(`${api.server.url}${href}`)
      assert.equal(sheet.status, 200)
      assert.equal(sheet.headers['content-type'], 'text/css; charset=utf-8')
      assert.equal(sheet.headers['cache-control'], 'public, max-age=31536000, immutable')
    }
    assert.match(text, /accent-ff00aa-/)
  })

  test('unpublished, deleted and missing pages get the same answer', async () => {
    const { client } = await api.tenant()
    const hidden = await createPage(client, [], { published: false, visibility: 'PASSWORD', password: 'correct horse' })
    const gone = await createPage(client, [], { slug: `gone-${hidden.slug}` })
    await fetchPage(at(gone.slug))
    await client.delete(`/status-pages/${gone.id}`)
    const paths = [hidden.slug, gone.slug, 'never-was', 'NEVER', '%00', 'x', `${hidden.slug}/history`]
    const seen = new Set<string>()
    for (const path of paths) {
      const { status, text, headers } = await fetchPage(at(path))
      const { date: _date, ...rest } = headers
      seen.add(JSON.stringify({ status, text, rest }))
    }
    assert.equal(seen.size, 1)
    const [only = ''] = seen
    assert.match(only, /"status":404.*Page not found/)
    const posted = await fetchPage(at(hidden.slug), { form: { password: 'correct horse' } })
    assert.deepEqual([posted.status, posted.text], [404, JSON.parse(only).text])
  })

  test('unknown addresses below a page lead back to it, in its language', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [], { name: 'Größe', locale: 'de', homepageUrl: 'https://example.com/' })
    const missing = [
      'incidents/sinc_1',
      'monitors/mon_1',
      'nothing',
      'history?month=1999-01',
      'incidents/../x',
      'history/x',
    ]
    for (const path of missing) {
      const { status, text, headers } = await fetchPage(at(`${page.slug}/${path}`))
      assert.equal(status, 404, path)
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(text, /<h1>Seite nicht gefunden<\/h1>/, path)
      assert.ok(text.includes(`<a href="/status/${page.slug}/">Zurück zu Größe</a>`), path)
      assert.match(text, /<a href="https:\/\/example.com\/" rel="noopener noreferrer">Website<\/a>/)
    }
    const secret = await createPage(client, [], { visibility: 'PASSWORD', password: 'correct horse' })
    assert.equal((await fetchPage(at(`${secret.slug}/nothing`))).status, 401)
  })

  test('changes of the page, an incident or a monitor are visible at once', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'Before')
    const page = await createPage(client, [id])
    assert.match((await fetchPage(at(page.slug))).text, /Before/)
    await client.patch(`/monitors/${id}`, { name: 'After' })
    assert.match((await fetchPage(at(page.slug))).text, /After/)
    await publishIncident(client, page.id, { title: 'Something broke' })
    assert.match((await fetchPage(at(page.slug))).text, /Something broke/)
    await client.patch(`/status-pages/${page.id}`, { published: false })
    assert.equal((await fetchPage(at(page.slug))).status, 404)
    await client.patch(`/status-pages/${page.id}`, { published: true, slug: `${page.slug}-moved` })
    assert.equal((await fetchPage(at(page.slug))).status, 404)
    assert.equal((await fetchPage(at(`${page.slug}-moved`))).status, 200)
  })

  test('HEAD answers the headers of GET without a body', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    for (const path of [page.slug, `${page.slug}/history`, 'never-was']) {
      const [get, head] = [await fetchPage(at(path)), await fetchPage(at(path), { method: 'HEAD' })]
      assert.equal(head.status, get.status)
      assert.equal(head.bytes.length, 0)
      assert.equal(head.headers['content-length'], `${get.bytes.length}`)
      assert.equal(head.headers.etag, get.headers.etag)
    }
  })
})

forEachEngine('the incidents on a status page', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 5, 10, 12))
  const api = useApi(engine, { clock })
  const at = (path: string): string => `${api.server.url}/status/${path}`

  test('a component that is down has no response time', async () => {
    const { client } = await api.tenant()
    const [shop, search] = [await createMonitor(client, 'Shop'), await createMonitor(client, 'Search')]
    for (const id of [shop, search]) await setMonitorState(api.server, id, id === shop ? 'DOWN' : 'UP', clock.now())
    const page = await createPage(client, [shop, search], { showResponseTimes: true })
    const { text } = await fetchPage(at(page.slug))
    const times = [...text.matchAll(/<bdi>(\w+)<\/bdi><\/a>(?:(?!<\/div>).)*<span class="ms">/g)].map(
      ([, name]) => name,
    )
    assert.deepEqual(times, ['Search'])
  })

  test('"No incidents reported" is shown only while no incident is ongoing', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'Shop')
    await setMonitorState(api.server, id, 'UP', clock.now())
    const page = await createPage(client, [id])
    const calm = (await fetchPage(at(page.slug))).text
    assert.match(calm, /<h2>Past incidents, last 14 days<\/h2><p class="empty">.*No incidents reported<\/p>/)
    assert.match(calm, /<p class="sentence">All systems operational<\/p>/)
    assert.match(calm, /<br><span id="zone">Times in UTC<\/span><\/p>/)
    const incident = await publishIncident(client, page.id)
    clock.advance(3_000)
    const { text } = await fetchPage(at(page.slug))
    assert.match(text, /<p class="sentence">Ongoing incident<\/p>/)
    assert.doesNotMatch(text, /No incidents|Past incidents/)
    assert.match(text, /Incident history<\/a>/)
    await client.post(`/status-incidents/${incident.id}/updates`, { status: 'RESOLVED', message: 'Fixed.' })
    clock.advance(3_000)
    const resolved = (await fetchPage(at(page.slug))).text
    assert.match(resolved, /<h2>Past incidents, last 14 days<\/h2><div class="card">/)
    assert.doesNotMatch(resolved, /No incidents/)
  })
})

forEachEngine('requests for subpages of a status page', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 5, 10, 12))
  const api = useApi(engine, { clock })
  const at = (path: string): string => `${api.server.url}/status/${path}`

  test('a monitor of the page has its own page with statistics; other monitors have none', async () => {
    const { client } = await api.tenant()
    const now = clock.now()
    const [id, other] = [await createMonitor(client, 'Shop'), await createMonitor(client, 'Other')]
    await addDailyRollups(api.server, id, 100, now, (back) =>
      back === 3 ? { upMs: DAY_MS - 14 * MINUTE_MS, downMs: 14 * MINUTE_MS } : {},
    )
    await setMonitorState(api.server, id, 'UP', now)
    const page = await createPage(client, [id], { showResponseTimes: true })
    const { status, text } = await fetchPage(at(`${page.slug}/monitors/${id}`))
    assert.equal(status, 200)
    assert.match(text, /<h1><bdi>Shop<\/bdi><\/h1>/)
    for (const span of ['Last 24 hours', 'Last 7 days', 'Last 30 days', 'Last 90 days'])
      assert.ok(text.includes(span), span)
    assert.match(text, /<small>14 min downtime<\/small>/)
    assert.match(text, /99\.98%/)
    assert.match(text, /128 ms/)
    assert.match(text, /Down, 14 min/)
    assert.equal((await fetchPage(at(`${page.slug}/monitors/${other}`))).status, 404)
    await client.patch(`/status-pages/${page.id}`, { showUptime: false, showResponseTimes: false })
    const bare = await fetchPage(at(`${page.slug}/monitors/${id}`))
    assert.doesNotMatch(bare.text, /99\.989|128 ms/)
    assert.doesNotMatch((await fetchPage(at(page.slug))).text, /uptime|\d ms/)
  })

  test('an incident of the page has its own page with all updates; incidents of other pages have none', async () => {
    const { client } = await api.tenant()
    const [page, other] = [await createPage(client, []), await createPage(client, [])]
    const { id } = await publishIncident(client, page.id, { title: 'Broken', message: '**Bold** word' })
    await client.post(`/status-incidents/${id}/updates`, { status: 'RESOLVED', message: 'Over.' })
    await client.patch(`/status-incidents/${id}`, { postmortem: '# Why\n\nBecause.' })
    const { status, text } = await fetchPage(at(`${page.slug}/incidents/${id}`))
    assert.equal(status, 200)
    assert.match(text, /<h1><bdi>Broken<\/bdi><\/h1>/)
    assert.match(text, /<strong>Bold<\/strong> word/)
    assert.match(text, /<h2>Postmortem<\/h2>.*<h3>Why<\/h3>/s)
    assert.ok(text.indexOf('Over.') < text.indexOf('word'), 'newest first')
    assert.equal((await fetchPage(at(`${other.slug}/incidents/${id}`))).status, 404)
  })

  test('the history has a page per month in the time zone of the page, from the first incident until now', async () => {
    const { client } = await api.tenant()
    // January 31 in Auckland and UTC; an hour later it is February in Auckland only.
    const page = await createPage(client, [], { timezone: 'Pacific/Auckland' })
    const begun = (title: string, startedAt: string) => publishIncident(client, page.id, { title, startedAt })
    await begun('In January', '2026-01-31T10:30:00Z')
    await begun('In February', '2026-01-31T11:30:00Z')
    const month = async (name: string) => fetchPage(at(`${page.slug}/history?month=${name}`))
    const [january, february] = [await month('2026-01'), await month('2026-02')]
    assert.match(january.text, /In January/)
    assert.doesNotMatch(january.text, /In February/)
    assert.match(february.text, /In February/)
    assert.doesNotMatch(february.text, /In January/)
    assert.doesNotMatch(january.text, /rel="prev"/)
    assert.match(january.text, /rel="next" href="[^"]*month=2026-02"/)
    assert.match(february.text, /rel="prev" href="[^"]*month=2026-01"/)
    assert.equal((await month('2025-12')).status, 404)
    assert.equal((await month('9999-01')).status, 404)
    for (const nonsense of ['2026-13', '2026-1', 'x', '']) assert.equal((await month(nonsense)).status, 404, nonsense)
    const present = await fetchPage(at(`${page.slug}/history`))
    assert.equal(present.status, 200)
    assert.doesNotMatch(present.text, /rel="next"/)
  })

  test('never shows anything of another organization', async () => {
    const [mine, foreignOne] = [await api.tenant(), await api.tenant()]
    const foreign = await createMonitor(foreignOne.client, 'Secret project')
    const foreignPage = await createPage(foreignOne.client, [foreign], { name: 'Their page' })
    const incident = await publishIncident(foreignOne.client, foreignPage.id, { title: 'Their trouble' })
    const page = await createPage(mine.client, [await createMonitor(mine.client, 'Mine')])
    const seen = [page.slug, `${page.slug}/history`].map(async (path) => (await fetchPage(at(path))).text)
    for (const text of await Promise.all(seen)) assert.doesNotMatch(text, /Secret|Their/)
    assert.equal((await fetchPage(at(`${page.slug}/monitors/${foreign}`))).status, 404)
    assert.equal((await fetchPage(at(`${page.slug}/incidents/${incident.id}`))).status, 404)
  })

  test('a page hidden from search engines has a robots meta tag and header', async () => {
    const { client } = await api.tenant()
    const [open, hidden] = [await createPage(client, []), await createPage(client, [], { hideFromSearch: true })]
    const [seen, kept] = [await fetchPage(at(open.slug)), await fetchPage(at(hidden.slug))]
    assert.deepEqual([seen.headers['x-robots-tag'], kept.headers['x-robots-tag']], [undefined, 'noindex'])
    assert.doesNotMatch(seen.text, /noindex/)
    assert.match(kept.text, /<meta name="robots" content="noindex">/)
  })

  test('uses the theme and language of the page', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [await createMonitor(client, 'A')], {
      theme: 'DARK',
      locale: 'ja',
      timezone: 'Asia/Tokyo',
    })
    const { text } = await fetchPage(at(page.slug))
    assert.match(text, /<html lang="ja" dir="ltr" data-theme="dark">/)
    assert.match(text, /タイムゾーン：日本標準時<\/span> · /)
    assert.match(text, /データなし/)
  })
})
