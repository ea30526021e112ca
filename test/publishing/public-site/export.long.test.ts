import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { before, test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import ICAL from 'ical.js'
import { CommandLine } from '../../support/command-line.ts'
import { forEachEngine } from '../../support/engines.ts'
import { BOOTSTRAP_KEY, type Client } from '../../support/server.ts'
import { type ApiObject, createMonitor, createPage, publishIncident } from './fixtures.ts'

const DAY_MS = 86_400_000
const iso = (ms: number): string => new Date(ms).toISOString()

interface Published {
  readonly page: ApiObject
  readonly monitorIds: readonly string[]
  readonly incidentIds: readonly string[]
  readonly oldIncidentId: string
}

/** Creates a page with incidents of this year and older ones. */
async function publish(client: Client, fields: object): Promise<Published> {
  const monitorIds = [await createMonitor(client, 'Website'), await createMonitor(client, 'Mail & more')]
  const page = await createPage(client, monitorIds, { accentColor: '#7c3aed', subscribersEnabled: true, ...fields })
  const incidentIds: string[] = []
  for (const days of [0, 40, 200]) {
    const affectedMonitors = [{ monitorId: monitorIds[0], status: 'DEGRADED' }]
    const startedAt = iso(Date.now() - days * DAY_MS)
    const message = `See ${page.url} and /status/-/page-x.css`
    incidentIds.push(
      (await publishIncident(client, page.id, { title: `${days} days ago`, startedAt, message, affectedMonitors })).id,
    )
  }
  const old = await publishIncident(client, page.id, { title: 'Long ago', startedAt: iso(Date.now() - 500 * DAY_MS) })
  await client.post(`/status-incidents/${old.id}/updates`, { status: 'RESOLVED', message: 'Over.' })
  return { page, monitorIds, incidentIds, oldIncidentId: old.id }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()
}

/** Follows every link of every exported page. */
function expectWhole(folder: string): void {
  for (const name of filesIn(folder).filter((file) => file.endsWith('.html'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, link = ''] of text.matchAll(/(?:href|src|action)="([^"]*)"/g)) {
      if (/^(https?:|data:|mailto:|#)/.test(link)) continue
      assert.ok(!link.startsWith('/'), `${name}: ${link} is relative`)
      const target = normalize(join(dirname(name), link.replace(/[#?].*$/, '')))
      const file = link.endsWith('/') ? join(target, 'index.html') : target
      assert.ok(existsSync(join(folder, file)), `${name}: ${link} leads to ${file}`)
    }
  }
}

forEachEngine('pharos export-page', (engine) => {
  const at = new CommandLine(engine)
  let published: Published
  let client: Client
  before(async () => {
    client = at.server.client(BOOTSTRAP_KEY)
    published = await publish(client, { slug: 'acme' })
  })
  const folder = (name: string): string => join(at.workspace.folder, name)

  test('exports files without broken links, while a server is running', async () => {
    const { files, bytes, slug, directory } = await at.json('export-page acme', folder('whole'))
    assert.deepEqual([slug, directory], ['acme', folder('whole')])
    assert.deepEqual(filesIn(folder('whole')), files.toSorted())
    assert.ok(bytes > 10_000)
    expectWhole(folder('whole'))
    const expected = [
      'index.html',
      'history/index.html',
      'feed.atom',
      'feed.rss',
      'maintenance.ics',
      'badge.svg',
      'api/v2/summary.json',
      'api/v2/status.json',
      ...published.incidentIds.map((id) => `incidents/${id}/index.html`),
      ...published.monitorIds.flatMap((id) => [`monitors/${id}/index.html`, `monitors/${id}/badge.svg`]),
    ]
    for (const name of expected) assert.ok(files.includes(name), name)
    assert.equal(files.filter((name: string) => /^history\/\d{4}-\d\d\//.test(name)).length, 12, 'a year of months')
    assert.equal(files.filter((name: string) => name.startsWith('assets/')).length, 2, 'the style and its colours')
    const home = readFileSync(join(folder('whole'), 'index.html'), 'utf8')
    assert.doesNotMatch(home, /<form|href="\/|\/-[0-9a-f]{32}/, 'no form, no mark of ours')
    assert.match(home, /See .* and \/status\/-\/page-x\.css/, 'what people wrote is not touched')
    assert.match(home, new RegExp(`rel="canonical" href="${published.page.url}"`))
  })

  test('exported files have the content that the server serves', async () => {
    await at.text('export-page acme', folder('same'))
    const id = published.incidentIds[0]
    const words = (text: string): string => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    const live = await (await fetch(`${at.server.url}/status/acme/incidents/${id}`)).text()
    const copy = readFileSync(join(folder('same'), `incidents/${id}/index.html`), 'utf8')
    const withoutTimes = (text: string): string => words(text).replace(/Updated [^T]*|for \d+ \w+|\d+ (s|min)\b/g, '')
    assert.equal(withoutTimes(copy), withoutTimes(live))
    const { components } = JSON.parse(readFileSync(join(folder('same'), 'api/v2/summary.json'), 'utf8'))
    assert.deepEqual(
      components.map(({ name }: ApiObject) => name),
      ['Systems', 'Website', 'Mail & more'],
    )
  })

  test('--base-url replaces the URL in absolute links', async () => {
    const url = 'https://static.example.com/copies/acme'
    await at.text('export-page acme', folder('elsewhere'), '--base-url', `${url}/`)
    const read = (name: string): string => readFileSync(join(folder('elsewhere'), name), 'utf8')
    const { feed } = new XMLParser({ ignoreAttributes: false }).parse(read('feed.atom'))
    assert.deepEqual(
      feed.link.map((link: ApiObject) => link['@_href']),
      [`${url}/feed.atom`, url],
    )
    const linked: string[] = feed.entry.map((entry: ApiObject) => entry.link['@_href'])
    assert.deepEqual(
      linked.sort(),
      [...published.incidentIds, published.oldIncidentId].map((id) => `${url}/incidents/${id}`).sort(),
    )
    for (const link of linked)
      assert.ok(existsSync(join(folder('elsewhere'), link.slice(url.length), 'index.html')), link)
    assert.match(feed.id, /^tag:localhost,/, 'an entry is the same entry in both places')
    assert.equal(JSON.parse(read('api/v2/summary.json')).page.url, url)
    assert.match(read('index.html'), new RegExp(`rel="canonical" href="${url}"`))
    assert.doesNotMatch(read('index.html') + read('feed.atom'), /localhost:\d+/)
    new ICAL.Component(ICAL.parse(read('maintenance.ics')))
    expectWhole(folder('elsewhere'))
  })
})

forEachEngine('pharos export-page rejects', (engine) => {
  const at = new CommandLine(engine)
  let client: Client
  before(async () => {
    client = at.server.client(BOOTSTRAP_KEY)
    await createPage(client, [], { slug: 'open' })
    await createPage(client, [], { slug: 'closed', visibility: 'PASSWORD', password: 'open sesame' })
    await createPage(client, [], { slug: 'hidden', published: false })
  })
  const folder = (name: string): string => join(at.workspace.folder, name)

  test('a folder that is not empty, unless forced', async () => {
    mkdirSync(folder('filled'))
    writeFileSync(join(folder('filled'), 'mine.txt'), 'mine')
    assert.match(
      await at.refusal('export-page open', folder('filled')),
      /is not empty; choose another folder or add --force/,
    )
    assert.deepEqual(filesIn(folder('filled')), ['mine.txt'])
    const { files } = await at.json('export-page open', folder('filled'), '--force')
    assert.deepEqual(filesIn(folder('filled')), [...files, 'mine.txt'].sort())
    assert.match(
      await at.text('export-page open', folder('filled'), '--force'),
      /^Exported Acme to .* \(\d+ files, \d+ KB\): 1 page, 2 feeds, 1 calendar, 2 JSON files, 1 badge, 1 stylesheet\n$/,
    )
    writeFileSync(folder('file'), '')
    assert.match(await at.refusal('export-page open', folder('file')), /^Cannot write to /)
  })

  test('a page with a password unless confirmed, and an unpublished page always', async () => {
    assert.match(
      await at.refusal('export-page closed', folder('closed')),
      /is password-protected, but exported files are not/,
    )
    assert.ok(!existsSync(folder('closed')))
    await at.text('export-page closed', folder('closed'), '--allow-password-page')
    assert.ok(existsSync(join(folder('closed'), 'index.html')))
    for (const slug of ['hidden', 'nobody', '../x']) {
      assert.match(await at.refusal(`export-page ${slug}`, folder('none')), /Published status page ".*" not found/)
    }
    for (const url of ['ftp://x', 'x', 'https://x/?a=b', 'https://a:b@x', 'https://x/"onload=', "https://x/'"]) {
      assert.match(
        await at.usageError('export-page open', folder('none'), '--base-url', url),
        /--base-url must be a URL such as/,
      )
    }
    assert.ok(!existsSync(folder('none')))
    assert.match(await at.usageError('export-page open'), /Missing argument DIR/)
  })
})
