import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { useBrowser, withoutBrowser } from '../../../support/browser.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'
import { type ApiObject, createMonitor, createPage, publishIncident } from '../fixtures.ts'

/** Injection attempts. */
const attacks: Readonly<Record<string, string>> = {
  'a script': '<script>document.title="pwned";alert(1)</script>',
  'an attribute that runs': '"><img src=x onerror=alert(1)><svg onload=alert(1)>',
  'the end of whatever it stands in': `</title></h1></bdi></a></main></style><script>alert(1)</script>'"`,
  'a template': `\${alert(1)} {{alert(1)}} <%= alert(1) %>`,
  'a frame': '<iframe src="javascript:alert(1)"></iframe><base href="https://evil.example/">',
  'order turned around': '\u202egnp.exe\u2066\u2067evil\u2069',
  'a long word': 'W'.repeat(120),
  'marks upon marks': `Z${'\u0301\u0489'.repeat(50)}`,
}

describe('malicious text in all fields', { skip: withoutBrowser }, () => {
  const started = withoutBrowser ? undefined : useBrowser()
  let server: TestServer
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
  })
  after(() => server?.stop())

  for (const [name, attack] of Object.entries(attacks)) {
    test(`${name} runs nothing, loads nothing and does not break the layout`, async () => {
      const { paths } = await everywhere(server, attack)
      const context = await (started as NonNullable<typeof started>).browser.newContext({
        viewport: { width: 390, height: 800 },
      })
      const heard: string[] = []
      const page = await context.newPage()
      page.on('dialog', (dialog) => {
        heard.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => heard.push(`console: ${message.text()}`))
      page.on('pageerror', (error) => heard.push(`error: ${error.message}`))
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url())
        if (origin !== server.url && protocol !== 'data:') heard.push(`request: ${request.url()}`)
      })
      for (const path of paths) {
        const response = await page.goto(`${server.url}${path}`, { waitUntil: 'networkidle' })
        assert.equal(response?.status(), 200, path)
        const found = await page.evaluate<{ scripts: number; wide: number; strange: string[]; text: string }>(`({
          // Besides our own.
          scripts: document.querySelectorAll('script:not(body > footer > script)').length,
          wide: document.documentElement.scrollWidth,
          strange: [...document.querySelectorAll('iframe, base, object, embed, style, [onerror], [onload], main img')].map((e) => e.outerHTML),
          text: document.body.innerText })`)
        assert.deepEqual([found.scripts, found.strange], [0, []], path)
        assert.ok(found.wide <= 390, `${path} is ${found.wide} px wide`)
        assert.doesNotMatch(found.text, /[\u202a-\u202e\u2066-\u2069]/)
      }
      await context.close()
      assert.deepEqual(heard, [])
    })
  }

  test('links in Markdown are http, https or mailto', async () => {
    const client = server.client()
    const created = await createPage(client, [], { homepageUrl: 'https://a.example/', contactUrl: 'http://b.example/' })
    const message = '[a](javascript:alert(1)) [b](data:text/html,x) [c](https://c.example/) <javascript:alert(1)>'
    await publishIncident(client, created.id, { message })
    const page = await (started as NonNullable<typeof started>).browser.newPage()
    await page.goto(`${server.url}/status/${created.slug}`)
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a')].map((a) => new URL(a.href).protocol)",
    )
    assert.deepEqual(new Set(links), new Set(['http:', 'https:']))
    await page.close()
  })
})

/** Creates a page with the same text in every field of the page, its monitors, incidents and windows. */
async function everywhere(server: TestServer, text: string): Promise<{ page: ApiObject; paths: string[] }> {
  const client = server.client()
  const now = Date.now()
  const at = (ms: number): string => new Date(now + ms).toISOString()
  const short = text.slice(0, 120)
  const id = await createMonitor(client, short)
  const sections = [
    { name: short, monitors: [{ monitorId: id }] },
    { name: short, monitors: [{ monitorId: id, displayName: short }] },
  ]
  const page = await createPage(client, [], { name: short, description: text, sections, showResponseTimes: true })
  const affectedMonitors = [{ monitorId: id, status: 'MAJOR_OUTAGE' }]
  const active = await publishIncident(client, page.id, { title: text, message: text, affectedMonitors })
  const past = await publishIncident(client, page.id, { title: text, message: `# ${text}\n\n\`${text}\`\n\n> ${text}` })
  await client.post(`/status-incidents/${past.id}/updates`, { status: 'RESOLVED', message: `* ${text}` })
  await client.patch(`/status-incidents/${past.id}`, { postmortem: `# ${text}\n\n[${text}](https://a.example/)` })
  for (const [from, to] of [
    [-HOUR_MS, HOUR_MS],
    [DAY_MS, 2 * DAY_MS],
  ] as const) {
    const window = { name: short, description: text, monitorIds: [id], startsAt: at(from), endsAt: at(to) }
    const { status } = await client.post('/maintenance-windows', window)
    assert.equal(status, 201)
  }
  const root = `/status/${page.slug}`
  const below = ['', '/history', `/incidents/${active.id}`, `/incidents/${past.id}`, `/monitors/${id}`]
  return { page, paths: below.map((path) => root + path) }
}
