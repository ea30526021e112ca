import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { useApi } from '../../../support/api.ts'
import { HandClock } from '../../../support/clock.ts'
import { failReads } from '../../../support/database-faults.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { startTestServer } from '../../../support/server.ts'
import { type ApiObject, createMonitor, createPage, fetchPage, publishIncident } from '../fixtures.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  isArray: (name) => /^(entry|item|link)$/.test(name),
})

// biome-ignore lint/suspicious/noExplicitAny: a parsed XML document
function parsed(text: string): any {
  assert.equal(XMLValidator.validate(text), true)
  return parser.parse(text)
}

const hostile = [
  '<script>alert(1)</script> & "quotes" \'apostrophes\'',
  ']]> <![CDATA[x]]> <!-- --> <?php ?> &lt;b&gt; &#0; &unknown;',
  'control \u0000\u0001\u000b\u001f characters, \ufffe\uffff, \u202eand turned around',
  '👩🏽‍🚒 日本語 العربية \ud83d lone',
]

const iso = (ms: number): string => new Date(ms).toISOString()

forEachEngine('feeds', (engine) => {
  const clock = new HandClock(Date.UTC(2027, 4, 6, 12, 0, 0))
  const api = useApi(engine, { clock })
  const at = (page: ApiObject, path: string): string => `${api.server.url}/status/${page.slug}${path}`

  test('Atom has the required elements, and incidents with their updates, latest first', async () => {
    const { client } = await api.tenant()
    const monitorId = await createMonitor(client, 'Checkout')
    const page = await createPage(client, [monitorId], { name: 'Acme & Co', description: 'How <we> do' })
    const first = await publishIncident(client, page.id, {
      title: 'Orders fail',
      message: 'We **fetchPage**.',
      affectedMonitors: [{ monitorId, status: 'MAJOR_OUTAGE' }],
      impact: 'MAJOR',
      startedAt: iso(clock.now() - HOUR_MS),
    })
    clock.advance(60_000)
    const second = await publishIncident(client, page.id, { title: 'Slow', message: 'Hm.' })
    clock.advance(60_000)
    await client.post(`/status-incidents/${first.id}/updates`, {
      status: 'RESOLVED',
      message: 'Done: https://x.example/a',
    })
    const { status, headers, text } = await fetchPage(at(page, '/feed.atom'))
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8')
    const { feed } = parsed(text)
    assert.equal(feed['@xmlns'], 'http://www.w3.org/2005/Atom')
    assert.match(feed.id, /^tag:localhost,2027-05-06:page_[0-9a-f]+$/)
    assert.deepEqual([feed.title, feed.subtitle, feed.author.name], ['Acme & Co', 'How <we> do', 'Acme & Co'])
    assert.equal(feed.updated, iso(clock.now()))
    assert.deepEqual(
      feed.link.map((link: Record<string, string>) => [link['@rel'], link['@href']]),
      [
        ['self', `${page.url}/feed.atom`],
        ['alternate', page.url],
      ],
    )
    const [resolved, slow] = feed.entry
    assert.deepEqual([resolved.title, slow.title], ['Orders fail', 'Slow'], 'what changed last comes first')
    assert.equal(resolved.id, feed.id.replace(/page_\w+/, first.id))
    assert.deepEqual([resolved.published, resolved.updated], [iso(clock.now() - HOUR_MS - 120_000), iso(clock.now())])
    assert.equal(resolved.link[0]['@href'], `${page.url}/incidents/${first.id}`)
    assert.equal(slow.link[0]['@href'], `${page.url}/incidents/${second.id}`)
    assert.equal(resolved.content['@type'], 'html')
    const content = resolved.content['#text']
    assert.match(content, /Affects: Checkout/)
    assert.ok(content.indexOf('Resolved') < content.indexOf('Investigating'))
    assert.match(content, /<strong>fetchPage<\/strong>/)
    assert.match(content, /<a href="https:\/\/x\.example\/a" rel="nofollow noopener noreferrer">/)
  })

  test('ids and content stay the same while nothing changes, and a reader gets 304', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    await publishIncident(client, page.id)
    for (const path of ['/feed.atom', '/feed.rss']) {
      const before = await fetchPage(at(page, path))
      clock.advance(DAY_MS)
      const after = await fetchPage(at(page, path), { headers: { 'if-none-match': String(before.headers.etag) } })
      assert.equal(after.status, 304, path)
      assert.equal(after.text, '')
      assert.equal(after.headers['access-control-allow-origin'], undefined)
    }
  })

  test('RSS has the same entries as Atom', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [], { locale: 'fr' })
    const incident = await publishIncident(client, page.id, { title: 'Panne', message: '`code` et *plus*' })
    const { headers, text } = await fetchPage(at(page, '/feed.rss'))
    assert.equal(headers['content-type'], 'application/rss+xml; charset=utf-8')
    const { rss } = parsed(text)
    assert.equal(rss['@version'], '2.0')
    const { channel } = rss
    assert.deepEqual([channel.title, channel.link[0], channel.language], ['Acme', page.url, 'fr'])
    assert.equal(channel['atom:link']['@href'], `${page.url}/feed.rss`)
    assert.equal(channel.lastBuildDate, new Date(clock.now()).toUTCString())
    const [item] = channel.item
    assert.equal(item.guid['@isPermaLink'], 'false')
    assert.match(item.guid['#text'], new RegExp(`^tag:localhost,\\d{4}-\\d\\d-\\d\\d:${incident.id}$`))
    assert.deepEqual([item.title, item.link[0]], ['Panne', `${page.url}/incidents/${incident.id}`])
    assert.equal(item.pubDate, new Date(clock.now()).toUTCString())
    assert.match(item.description, /<code>code<\/code> et <em>plus<\/em>/)
  })
})

forEachEngine('feeds with malicious or much content', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })

  test('a feed with any text is well-formed and contains no active content', async () => {
    const { client } = await api.tenant()
    for (const text of hostile.map((each) => each.replaceAll('\u0000', ''))) {
      const sound = text.toWellFormed()
      const name = sound.replace(/\p{Cc}/gu, '')
      const monitorId = await createMonitor(client, name)
      const page = await createPage(client, [monitorId], { name, description: sound })
      await publishIncident(client, page.id, {
        title: name,
        message: `${sound} [x](javascript:alert(1)) <img src=x onerror=alert(1)>`,
        postmortem: sound,
        affectedMonitors: [{ monitorId, status: 'DEGRADED' }],
      })
      for (const path of ['/feed.atom', '/feed.rss']) {
        const { status, text: xml } = await fetchPage(`${api.server.url}/status/${page.slug}${path}`)
        assert.equal(status, 200)
        const document = parsed(xml)
        const content = document.feed?.entry[0].content['#text'] ?? document.rss.channel.item[0].description
        assert.doesNotMatch(content, /<script|<img|href="javascript/i)
        const title = document.feed?.title ?? document.rss.channel.title
        assert.equal(typeof title, 'string')
        assert.doesNotMatch(xml, /[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/u, 'characters that XML forbids')
      }
    }
  })

  test('a feed is limited, and contains only monitors and incidents of its page', async () => {
    const { client } = await api.tenant()
    const hidden = await createMonitor(client, 'Secret project')
    const [page, other] = [await createPage(client, []), await createPage(client, [hidden])]
    for (let i = 0; i < 30; i += 1) {
      clock.advance(1_000)
      const affectedMonitors = [{ monitorId: hidden, status: 'MAJOR_OUTAGE' }]
      await publishIncident(client, page.id, { title: `Number ${i}`, affectedMonitors })
    }
    await publishIncident(client, other.id, { title: 'Elsewhere' })
    const talkative = await publishIncident(client, page.id, { title: 'Talkative' })
    for (let i = 0; i < 12; i += 1) {
      clock.advance(1_000)
      const message = `Word number ${i}.`
      await client.post(`/status-incidents/${talkative.id}/updates`, { status: 'IDENTIFIED', message })
    }
    const { text } = await fetchPage(`${api.server.url}/status/${page.slug}/feed.atom`)
    const { feed } = parsed(text)
    assert.equal(feed.entry.length, 25)
    assert.deepEqual([feed.entry[0].title, feed.entry[1].title], ['Talkative', 'Number 29'])
    const content = feed.entry[0].content['#text']
    assert.deepEqual(content.match(/number \d+/g)?.length, 10)
    assert.match(content, /number 11[\s\S]*number 2\b/)
    assert.ok(content.includes(`<a href="${page.url}/incidents/${talkative.id}">All updates</a>`))
    assert.doesNotMatch(text, /Secret project|Elsewhere/)
  })

  test('a page without incidents has a valid feed', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const { text } = await fetchPage(`${api.server.url}/status/${page.slug}/feed.atom`)
    const { feed } = parsed(text)
    assert.deepEqual([feed.entry, feed.updated], [undefined, page.updatedAt])
  })
})

const documents = [
  '/feed.atom',
  '/feed.rss',
  '/maintenance.ics',
  '/api/v2/summary.json',
  '/api/v2/status.json',
  '/badge.svg',
  '/monitors/MONITOR/badge.svg',
] as const

forEachEngine('feeds, JSON and badges', (engine) => {
  const api = useApi(engine)

  test('exist exactly where their page does', async () => {
    const { client } = await api.tenant()
    const monitorId = await createMonitor(client, 'A')
    const fields = { customDomain: 'status.feeds.example' }
    const page = await createPage(client, [monitorId], fields)
    const paths = documents.map((path) => path.replace('MONITOR', monitorId))
    const headers = { host: 'status.feeds.example' }
    for (const path of paths) {
      const open = /json|badge/.test(path) ? '*' : undefined
      const { status, headers: its } = await fetchPage(`${api.server.url}/status/${page.slug}${path}`)
      assert.deepEqual([status, its['access-control-allow-origin']], [200, open], path)
      assert.match(String(its['cache-control']), /^public, max-age=\d+, stale-if-error=/)
      assert.equal((await fetchPage(`${api.server.url}${path}`, { headers })).status, 200, `${path} on its domain`)
      assert.equal((await fetchPage(`${api.server.url}/status/${page.slug}${path}x`)).status, 404)
    }
    const { text } = await fetchPage(`${api.server.url}/status/${page.slug}`)
    for (const path of paths.slice(0, 4)) assert.ok(text.includes(`href="/status/${page.slug}${path}"`), path)
    await client.patch(`/status-pages/${page.id}`, { published: false })
    for (const path of paths) {
      assert.equal((await fetchPage(`${api.server.url}/status/${page.slug}${path}`)).status, 404, path)
    }
  })

  test('need the password of their page, and then allow no cross-origin access', async () => {
    const { client } = await api.tenant()
    const monitorId = await createMonitor(client, 'A')
    const page = await createPage(client, [monitorId], { visibility: 'PASSWORD', password: 'open sesame' })
    const home = `${api.server.url}/status/${page.slug}`
    const { headers } = await fetchPage(home, { form: { password: 'open sesame' } })
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    for (const path of documents.map((each) => each.replace('MONITOR', monitorId))) {
      assert.equal((await fetchPage(`${home}${path}`)).status, 401, path)
      const { status, headers: its } = await fetchPage(`${home}${path}`, { headers: { cookie } })
      assert.deepEqual([status, its['access-control-allow-origin']], [200, undefined], path)
      assert.match(String(its['cache-control']), /^private/)
    }
  })
})

forEachEngine('feeds, JSON and badges while the database is unavailable', (engine) => {
  test('are served stale with an Age header and no-store', async () => {
    const clock = new HandClock()
    await using server = await startTestServer(engine, { clock, env: { PHAROS_ROLES: 'api' } })
    const monitorId = await createMonitor(server.client(), 'A')
    const page = await createPage(server.client(), [monitorId])
    const urls = documents.map((path) => `${server.url}/status/${page.slug}${path.replace('MONITOR', monitorId)}`)
    const before = await Promise.all(urls.map((url) => fetchPage(url)))
    await using _unavailable = await failReads(server.running.database)
    clock.advance(60_000)
    for (const [i, url] of urls.entries()) {
      const { status, headers, text } = await fetchPage(url)
      assert.deepEqual([status, text], [200, before[i]?.text], url)
      assert.deepEqual([headers.age, headers['cache-control']], ['60', 'no-store'])
    }
  })
})
