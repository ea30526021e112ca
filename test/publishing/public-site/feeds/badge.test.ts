import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { DAY_MS } from '../../../../src/lib/clock.ts'
import {
  backgrounds,
  badgeSvg,
  LABEL_BACKGROUND,
  textWidth,
} from '../../../../src/publishing/public-site/feeds/badge.ts'
import { contrast, parse } from '../../../../src/publishing/public-site/styles/accent.ts'
import { useApi } from '../../../support/api.ts'
import { HandClock } from '../../../support/clock.ts'
import { forEachEngine } from '../../../support/engines.ts'
import {
  type ApiObject,
  addDailyRollups,
  createMonitor,
  createPage,
  fetchPage,
  publishIncident,
  setMonitorState,
} from '../fixtures.ts'

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@' })

// biome-ignore lint/suspicious/noExplicitAny: a parsed XML document
function svgIn(text: string): any {
  assert.equal(XMLValidator.validate(text), true, text)
  return parser.parse(text).svg
}

test('white text has enough contrast on every background', () => {
  for (const ground of [LABEL_BACKGROUND, ...Object.values(backgrounds)]) {
    const ratio = contrast(parse('#ffffff'), parse(ground))
    assert.ok(ratio >= 4.5, `${ground}: ${ratio}`)
  }
})

test('a badge is as wide as its text', () => {
  assert.equal(textWidth('', 11), 0)
  assert.equal(textWidth('operational', 11), 62)
  assert.ok(textWidth('WWW', 11) > 3 * textWidth('iii', 11))
  assert.equal(textWidth('operational', 22), 124)
  assert.equal(textWidth('日本', 11), 22)
  assert.equal(textWidth('e\u0301', 11), textWidth('e', 11))
  for (const label of ['a', 'A long name of a page', '日本語の名前', 'x'.repeat(200)]) {
    const svg = svgIn(String(badgeSvg({ label, value: 'Up', shape: 'up' }, 'flat')))
    const [left, right] = svg.g[1].text
    const width = Number(svg['@width'])
    assert.equal(svg['@viewBox'], `0 0 ${width} 20`)
    assert.ok(Number(left['@x']) + Number(left['@textLength']) <= Number(right['@x']) - 6, label)
    assert.ok(Number(right['@x']) + Number(right['@textLength']) <= width - 5, label)
  }
})

forEachEngine('badges', (engine) => {
  const clock = new HandClock(Date.UTC(2027, 4, 6, 12))
  const api = useApi(engine, { clock })
  const badge = async (page: ApiObject, path = '') => {
    const { status, headers, text } = await fetchPage(`${api.server.url}/status/${page.slug}${path}`)
    assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml; charset=utf-8'])
    return { text, svg: svgIn(text) }
  }
  const says = async (page: ApiObject, path = '/badge.svg') => (await badge(page, path)).svg.title

  test('the badge of a page shows its overall status, as image and as label', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'A')
    const page = await createPage(client, [id], { name: 'Acme' })
    assert.equal(await says(page), 'Acme: No data yet')
    const labels = { UP: 'All systems operational', DEGRADED: 'Degraded performance', DOWN: 'Major outage' } as const
    for (const [state, label] of Object.entries(labels)) {
      await setMonitorState(api.server, id, state as keyof typeof labels, clock.now())
      clock.advance(3_000)
      const { svg, text } = await badge(page, '/badge.svg')
      assert.deepEqual([svg['@role'], svg['@aria-label'], svg.title], ['img', `Acme: ${label}`, `Acme: ${label}`])
      assert.deepEqual(
        svg.g[1].text.map((part: Record<string, string>) => part['#text']),
        ['Acme', label],
      )
      assert.doesNotMatch(text, /<style|style=|<script|href=|<image/, 'nothing to load, nothing to run')
    }
    await setMonitorState(api.server, id, 'UP', clock.now())
    await publishIncident(client, page.id)
    clock.advance(3_000)
    assert.equal(await says(page), 'Acme: Ongoing incident')
  })

  test('the badge of a monitor shows display name, status and uptime of 30 days', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'internal-name')
    const sections = [{ name: 'S', monitors: [{ monitorId: id, displayName: 'Checkout' }] }]
    const page = await createPage(client, [], { sections, historyDays: 7, locale: 'de' })
    await addDailyRollups(api.server, id, 60, clock.now(), (back) =>
      back === 40 ? { upMs: 0, downMs: DAY_MS } : back === 20 ? { upMs: DAY_MS / 2, downMs: DAY_MS / 2 } : {},
    )
    await setMonitorState(api.server, id, 'UP', clock.now())
    const path = `/monitors/${id}/badge.svg`
    assert.match(await says(page, path), /^Checkout: .+ · 98,2\d\s%$/, 'the last 30 days, however many the page shows')
    await client.patch(`/status-pages/${page.id}`, { showUptime: false })
    assert.match(await says(page, path), /^Checkout: [^·%]+$/)
    const other = await createPage(client, [])
    assert.equal((await fetchPage(`${api.server.url}/status/${other.slug}${path}`)).status, 404)
  })

  test('has the styles flat and flat-square and ignores others', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const flat = await badge(page, '/badge.svg')
    assert.ok(flat.svg.clipPath)
    assert.equal((await badge(page, '/badge.svg?style=flat')).text, flat.text)
    assert.equal((await badge(page, '/badge.svg?style=%22%3E%3Cscript%3E')).text, flat.text)
    assert.equal((await badge(page, '/badge.svg?style=flat-square')).svg.clipPath, undefined)
  })

  test('any page name is escaped', async () => {
    const { client } = await api.tenant()
    for (const name of [
      '</text><script>alert(1)</script>',
      '"onload="alert(1)',
      '\u202e\ufffe]]>&amp;',
      'x'.repeat(120),
    ]) {
      const { text, svg } = await badge(await createPage(client, [], { name }), '/badge.svg')
      assert.doesNotMatch(text, /<script|"onload/)
      assert.ok(svg.title.length < 100)
    }
  })
})
