import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createMonitor, createPage, fetchPage } from '../../publishing/public-site/fixtures.ts'
import { useBrowser, withoutBrowser } from '../../support/browser.ts'
import { forEachEngine } from '../../support/engines.ts'
import { claim, joinByInvitation, type Person, type TestInstallation, useInstallation } from '../../support/person.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const address = ({ server }: Pick<TestInstallation, 'server'>, id: string, query = ''): string =>
  `${server.url}/app/api/status-pages/${id}/preview${query}`

forEachEngine('a preview of a status page', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_OPEN_SIGNUP: 'true' } })
  const preview = (id: string, query = '', { cookie }: Person = installation.owner) =>
    fetchPage(address(installation, id, query), { headers: cookie === undefined ? {} : { cookie } })

  test('shows the page also while it is unpublished or password-protected', async () => {
    const client = installation.server.client()
    const shop = await createMonitor(client, 'Shop <b>')
    for (const fields of [{ published: false }, { visibility: 'PASSWORD', password: 'correct horse' }]) {
      const page = await createPage(client, [shop], fields)
      const { status, headers, text } = await preview(page.id)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(String(headers['x-request-id']), /^req_/)
      assert.match(text, /<bdi>Shop &lt;b&gt;<\/bdi>/)
      assert.doesNotMatch(text, /name="password"/)
      assert.equal(
        (await fetchPage(`${installation.server.url}/status/${page.slug}`)).status,
        'published' in fields ? 404 : 401,
      )
    }
  })

  test('shows a change at once', async () => {
    const { id } = await createPage(installation.server.client(), [])
    await preview(id)
    await installation.owner.patch(`/v1/status-pages/${id}`, { name: 'Renamed' })
    assert.match((await preview(id)).text, /<h1><bdi>Renamed<\/bdi><\/h1>/)
  })

  test('may be framed only by this server, and its links are disabled', async () => {
    const { id } = await createPage(installation.server.client(), [])
    const { headers, text } = await preview(id)
    const policy = String(headers['content-security-policy']).split('; ')
    for (const part of [
      "default-src 'none'",
      "style-src 'self'",
      "frame-ancestors 'self'",
      "form-action 'none'",
      'sandbox',
    ]) {
      assert.ok(policy.includes(part), part)
    }
    assert.equal(headers['x-frame-options'], undefined)
    assert.match(text, /<head>\n<base target="_blank">/)
  })

  test('uses the requested theme, otherwise that of the page', async () => {
    const { id } = await createPage(installation.server.client(), [], { theme: 'DARK' })
    const theme = async (query: string) =>
      /<html [^>]*?(?: data-theme="(\w+)")?>/.exec((await preview(id, query)).text)?.[1]
    assert.equal(await theme(''), 'dark')
    assert.equal(await theme('?theme=LIGHT'), 'light')
    assert.equal(await theme('?theme=SYSTEM'), undefined)
    const wrong = await preview(id, '?theme=PINK')
    assert.equal(wrong.status, 400)
    assert.partialDeepStrictEqual(JSON.parse(wrong.text).error.details, [
      { path: 'theme', message: 'must be one of SYSTEM, LIGHT, DARK' },
    ])
  })

  test('requires membership', async () => {
    const { id } = await createPage(installation.server.client(), [])
    const viewer = await joinByInvitation(installation, 'looks@example.com', 'VIEWER')
    assert.equal((await preview(id, '', viewer)).status, 200)
    const code = async (...asked: Parameters<typeof preview>) => {
      const { status, text, headers } = await preview(...asked)
      assert.match(String(headers['content-type']), /^application\/json/)
      return [status, JSON.parse(text).error.code]
    }
    assert.deepEqual(await code(id, '', { cookie: undefined } as Person), [401, 'unauthorized'])
    assert.deepEqual(await code('page_nobody'), [404, 'not_found'])
    const { orgId, key } = await installation.server.organization('FREE')
    const foreign = await createPage(installation.server.client(key), [])
    assert.deepEqual(await code(foreign.id), [404, 'not_found'])
    assert.deepEqual(await code(foreign.id, `?organization=${orgId}`), [404, 'not_found'])
  })

  test('uses the organization in the query', async () => {
    const { id } = await createPage(installation.server.client(), [])
    const { body: first } = await installation.owner.get('/me')
    const { body: another } = await installation.owner.post('/organizations', { name: 'Another' })
    assert.equal((await preview(id)).status, 400, 'which one is not clear')
    const [org] = first.organizations
    assert.equal((await preview(id, `?organization=${org.id}`)).status, 200)
    assert.equal((await preview(id, `?organization=${another.id}`)).status, 404)
  })
})

forEachEngine('a preview of unsaved changes', (engine) => {
  const installation = useInstallation(engine)
  const preview = (id: string) =>
    fetchPage(address(installation, id), { headers: { cookie: installation.owner.cookie ?? '' } })

  test('shows them, and saves nothing', async () => {
    const { owner, server } = installation
    const client = server.client()
    const [shop, search] = [await createMonitor(client, 'Unsaved shop'), await createMonitor(client, 'Unsaved search')]
    await client.send('PUT', `/monitors/${search}/labels`, { labels: { team: 'search' } })
    const saved = await createPage(client, [], { name: 'Before' })
    const send = (draft: unknown, cookie = owner.cookie ?? '') =>
      fetch(address(installation, saved.id), {
        method: 'POST',
        headers: { cookie, origin: server.url, 'content-type': 'application/json' },
        body: JSON.stringify(draft),
      })
    const before = (await client.get(`/status-pages/${saved.id}`)).body
    const sections = [
      { name: 'Web', monitors: [{ monitorId: shop, displayName: 'The shop' }] },
      { name: 'By label', monitors: [] },
    ]
    const page = { name: 'After', accentColor: '#112233', slug: 'not-claimed', sections }
    const answer = await send({ page, selectors: [{ name: 'By label', selector: 'team=search' }] })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    for (const shown of ['<h1><bdi>After</bdi></h1>', 'The shop', 'Unsaved search', 'By label']) {
      assert.ok(text.includes(shown), shown)
    }
    assert.doesNotMatch(text, /<script/)
    assert.deepEqual((await client.get(`/status-pages/${saved.id}`)).body, before)
    assert.doesNotMatch((await preview(saved.id)).text, /After|The shop|Unsaved search/)
    assert.equal((await send({ page: { accentColor: '#11' } })).status, 400)
    assert.equal((await send({ page, selectors: [{ name: 'Nowhere', selector: 'a=b' }] })).status, 400)
    assert.equal((await send({ page }, '')).status, 401)
  })
})

describe('a preview in a frame', { skip: withoutBrowser }, () => {
  const started = useBrowser()
  let server: TestServer | undefined
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
  })
  after(() => server?.stop())

  test('has its styles; links and forms do nothing', async () => {
    const here = server as TestServer
    const { cookie } = await claim(here)
    const page = await createPage(here.client(), [await createMonitor(here.client(), 'Shop')])
    const context = await started.browser.newContext()
    try {
      const [name = '', value = ''] = (cookie as string).split('=')
      await context.addCookies([{ name, value, url: here.url }])
      const tab = await context.newPage()
      await tab.goto(`${here.url}/healthz`)
      await tab.evaluate(`new Promise((resolve) => {
        const frame = document.createElement('iframe')
        frame.src = ${JSON.stringify(address({ server: here }, page.id))}
        frame.addEventListener('load', resolve)
        document.body.replaceChildren(frame)
      })`)
      const frame = tab.frames().find((each) => each.url().endsWith('/preview'))
      assert.ok(frame, 'it is shown in the frame')
      const row = frame.locator('a', { hasText: 'Shop' })
      assert.equal(await frame.evaluate(`getComputedStyle(document.querySelector('.skip')).position`), 'absolute')
      await row.click()
      await tab.waitForTimeout(500)
      assert.equal(context.pages().length, 1, 'no window was opened')
      assert.ok(frame.url().endsWith('/preview'), 'it stayed where it was')
      assert.equal(await frame.evaluate('window.origin'), 'null', 'it is nobody’s page')
    } finally {
      await context.close()
    }
  })
})
