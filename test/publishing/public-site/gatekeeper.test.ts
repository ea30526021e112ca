import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { hashPassword } from '../../../src/lib/passwords.ts'
import { createSealer } from '../../../src/lib/seal.ts'
import { Gatekeeper } from '../../../src/publishing/public-site/gatekeeper.ts'
import type { StoredPage } from '../../../src/publishing/public-site/queries/pages.ts'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import type { Client } from '../../support/server.ts'
import { type ApiObject, createMonitor, createPage, type FetchedPage, fetchPage } from './fixtures.ts'

const PASSWORD = 'correct horse'

const from = (address: string) => ({ 'x-forwarded-for': address })

interface PrivatePage {
  readonly client: Client
  readonly page: ApiObject
  at(path?: string): string
  /** Submits the password form. */
  open(password?: string, path?: string, headers?: Record<string, string>): Promise<Opened>
}

type Opened = FetchedPage & { readonly cookie: string; readonly kept: string }

async function createPrivatePage(api: Api, fields: object = {}): Promise<PrivatePage> {
  const { client } = await api.tenant()
  const id = await createMonitor(client, 'Hidden system')
  const page = await createPage(client, [id], { visibility: 'PASSWORD', password: PASSWORD, ...fields })
  const at = (path = ''): string => `${api.server.url}/status/${page.slug}${path}`
  return {
    client,
    page,
    at,
    async open(password = PASSWORD, path = '', headers = {}) {
      const answer = await fetchPage(at(path), { form: { password }, headers })
      const [cookie = ''] = answer.headers['set-cookie'] ?? []
      return { ...answer, cookie, kept: cookie.split(';')[0] as string }
    },
  }
}

forEachEngine('a page with a password', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_TRUST_PROXY: '127.0.0.1' } })
  test('answers 401 with a form and without any content of the page', async () => {
    const { at } = await createPrivatePage(api, { name: 'Internal' })
    for (const path of ['', '/history', '/monitors/mon_x', '/nothing']) {
      const { status, text, headers } = await fetchPage(at(path))
      assert.equal(status, 401, path)
      assert.match(text, /<form method="post">.*type="password"/s)
      assert.match(text, /Internal/)
      assert.doesNotMatch(text, /Hidden system/)
      assert.equal(headers['cache-control'], 'no-store')
      assert.ok(headers['www-authenticate'])
      assert.match(String(headers['content-security-policy']), /form-action 'self'/)
    }
  })

  test('the right password redirects back with a cookie for the whole page', async () => {
    const { page, at, open } = await createPrivatePage(api)
    const { status, headers, cookie, kept } = await open(PASSWORD, '/history?month=2026-01')
    assert.equal(status, 303)
    assert.equal(headers.location, `/status/${page.slug}/history?month=2026-01`)
    assert.match(cookie, new RegExp(`; Path=/status/${page.slug}; Max-Age=604800; HttpOnly; SameSite=Lax$`))
    assert.equal(cookie.includes(PASSWORD), false)
    for (const path of ['', '/', '/history']) {
      const seen = await fetchPage(at(path), { headers: { cookie: `other=1; ${kept}` } })
      assert.equal(seen.status, 200, path)
      assert.equal(seen.headers['cache-control'], 'private, no-cache')
      assert.match(String(seen.headers.vary), /cookie/)
    }
    const { headers: secure } = await fetchPage(at(), {
      form: { password: PASSWORD },
      headers: { 'x-forwarded-proto': 'https' },
    })
    assert.match(secure['set-cookie']?.[0] ?? '', /; Secure$/)
  })

  test('a wrong password shows the form with an error and sets no cookie', async () => {
    const { at } = await createPrivatePage(api)
    for (const form of [{ password: 'wrong horse' }, { password: '' }, { other: PASSWORD }] as const) {
      const { status, text, headers } = await fetchPage(at(), { form: form as never })
      assert.equal(status, 401)
      assert.match(text, /role="alert"[^>]*>Wrong password/)
      assert.equal(headers['set-cookie'], undefined)
    }
    const huge = await fetchPage(at(), { form: { password: PASSWORD, filler: 'x'.repeat(100_000) } })
    assert.equal(huge.status, 401)
  })

  test('a cookie is valid for one page, one password and a week, and cannot be forged', async () => {
    const [mine, other] = [await createPrivatePage(api), await createPrivatePage(api)]
    const { client, page, open } = mine
    const { kept } = await open()
    const opens = async (of: PrivatePage, cookie: string) => (await fetchPage(of.at(), { headers: { cookie } })).status
    assert.equal(await opens(mine, kept), 200)
    assert.equal(await opens(other, kept), 401)
    assert.equal(await opens(other, kept.replace(page.id, other.page.id)), 401)
    const middle = kept.length - 20
    const changed = kept.slice(0, middle) + (kept[middle] === 'A' ? 'B' : 'A') + kept.slice(middle + 1)
    assert.equal(await opens(mine, changed), 401)
    assert.equal(await opens(mine, `pharos_${page.id}=`), 401)
    assert.equal(await opens(mine, `pharos_${page.id}=aaaa.bbbb`), 401)
    clock.advance(7 * DAY_MS)
    assert.equal(await opens(mine, kept), 401, 'a week later')
    const { kept: renewed } = await open()
    await client.patch(`/status-pages/${page.id}`, { password: 'another horse' })
    assert.equal(await opens(mine, renewed), 401, 'after a new password')
    assert.equal((await open()).status, 401)
    assert.equal((await open('another horse')).status, 303)
  })
})

forEachEngine('guessing a password', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_TRUST_PROXY: '127.0.0.1' } })

  test('after ten wrong guesses an address must wait, and others need not', async () => {
    const { open } = await createPrivatePage(api)
    for (let i = 0; i < 10; i += 1) assert.equal((await open('wrong', '', from('10.1.1.1'))).status, 401)
    const refused = await open(PASSWORD, '', from('10.1.1.1'))
    assert.equal(refused.status, 429)
    const seconds = Number(refused.headers['retry-after'])
    assert.ok(seconds > 500 && seconds <= 600)
    assert.match(refused.text, /Too many attempts/)
    assert.equal((await open(PASSWORD, '', from('10.1.1.2'))).status, 303)
    clock.advance(10 * MINUTE_MS)
    assert.equal((await open(PASSWORD, '', from('10.1.1.1'))).status, 303)
  })

  test('correct passwords do not count as attempts', async () => {
    const { open } = await createPrivatePage(api)
    const statuses = await Promise.all(Array.from({ length: 9 }, () => open(PASSWORD, '', from('10.2.1.1'))))
    const again = await Promise.all(Array.from({ length: 9 }, () => open(PASSWORD, '', from('10.2.1.1'))))
    assert.deepEqual(new Set([...statuses, ...again].map(({ status }) => status)), new Set([303]))
  })

  test('posting a form to a public page redirects to the page', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const url = `${api.server.url}/status/${page.slug}`
    const { status, headers } = await fetchPage(url, { form: { password: PASSWORD } })
    assert.deepEqual([status, headers.location, headers['set-cookie']], [303, `/status/${page.slug}`, undefined])
  })

  test('the form is in the language of the page', async () => {
    const { at } = await createPrivatePage(api, { locale: 'de' })
    assert.match((await fetchPage(at())).text, /<html lang="de".*Passwort erforderlich/s)
  })
})

test('an overloaded server counts no attempt, and one address cannot use up the room of others', async () => {
  const gatekeeper = new Gatekeeper(createSealer([Buffer.alloc(32, 7)]))
  const hash = await hashPassword(PASSWORD, { lane: 'known', key: 'test' })
  const pages = ['page_1', 'page_2', 'page_3'].map(
    (id) => ({ id, visibility: 'PASSWORD', password_hash: hash }) as StoredPage,
  )
  const visitor = (address: string) => ({ address, root: '', isSecure: false })
  const guess = (page: StoredPage, address: string, password = 'wrong') =>
    gatekeeper.judge(page, password, visitor(address), 0)
  const flood = pages.flatMap((page) => Array.from({ length: 10 }, () => guess(page, '10.3.1.1')))
  const other = guess(pages[2] as StoredPage, '10.3.2.1', PASSWORD)
  const verdicts = await Promise.all(flood)
  // Two run, ten wait.
  assert.equal(verdicts.filter(({ kind }) => kind === 'wrong').length, 12)
  assert.deepEqual(verdicts.at(-1), { kind: 'tooMany', waitMs: 5_000 })
  assert.equal((await other).kind, 'right')
  for (let i = 0; i < 10; i += 1) assert.equal((await guess(pages[2] as StoredPage, '10.3.1.1')).kind, 'wrong')
  const refused = await guess(pages[2] as StoredPage, '10.3.1.1')
  assert.ok(refused.kind === 'tooMany' && refused.waitMs > 5_000)
})
