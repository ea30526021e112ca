import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogues } from '../../../src/publishing/public-site/languages/translator.ts'
import { locales } from '../../../src/publishing/status-pages/schema.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startTestServer } from '../../support/server.ts'
import { createPage, fetchPage } from './fixtures.ts'

forEachEngine('the subscribe page', (engine) => {
  const api = useApi(engine)
  const at = (path: string): string => `${api.server.url}/status/${path}`

  test('every page has a button in its header that leads to all ways to subscribe', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    for (const path of ['', '/history']) {
      const { text } = await fetchPage(at(`${page.slug}${path}`))
      const [header = ''] = /<header.*?<\/header>/s.exec(text) ?? []
      assert.ok(header.includes(`<a class="button" href="/status/${page.slug}/subscribe">Subscribe</a>`), path)
    }
    const { status, text } = await fetchPage(at(`${page.slug}/subscribe`))
    assert.equal(status, 200)
    assert.match(text, /<h1>Subscribe to updates<\/h1>/)
    const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    for (const file of ['feed.atom', 'feed.rss', 'maintenance.ics', 'api/v2/summary.json']) {
      assert.ok(main.includes(`href="/status/${page.slug}/${file}"`), file)
    }
    assert.doesNotMatch(main, /<form/, 'no mail server is configured')
  })
})

forEachEngine('the name of the software in the footer', (engine) => {
  test('is shown in the language of the page unless PHAROS_POWERED_BY is false', async () => {
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    for (const locale of locales) {
      const page = await createPage(server.client(), [], { locale })
      const { text } = await fetchPage(`${server.url}/status/${page.slug}`)
      const words = catalogues[locale].poweredBy.replace('{name}', 'Pharos')
      assert.match(text, new RegExp(`<p class="powered"><svg [^>]*>.*</svg>${words}</p>`), locale)
    }
  })

  test('can be turned off for the installation', async () => {
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api', PHAROS_POWERED_BY: 'false' } })
    const page = await createPage(server.client(), [])
    for (const path of ['', '/history', '/subscribe', '/nothing']) {
      assert.doesNotMatch((await fetchPage(`${server.url}/status/${page.slug}${path}`)).text, /Pharos/, path)
    }
  })
})
