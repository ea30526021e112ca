import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, createPage, fetchPage, publishIncident } from './fixtures.ts'

/** Headers that differ between requests. */
const ID = /req_\w+/
const idIn = (text: string): string => ID.exec(text)?.[0] ?? ''

forEachEngine('a custom domain', (engine) => {
  const api = useApi(engine, { env: { PHAROS_BASE_URL: 'https://pharos.example', PHAROS_TRUST_PROXY: '127.0.0.1' } })
  const on = (host: string, path = '/', headers: Record<string, string> = {}) =>
    fetchPage(`${api.server.url}${path}`, { headers: { host, ...headers } })

  test('serves the page at its root, with links that stay there', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'Shop')
    const page = await createPage(client, [id], { customDomain: 'status.one.example' })
    const incident = await publishIncident(client, page.id)
    const { status, text } = await on('status.one.example')
    assert.equal(status, 200)
    assert.match(text, /<bdi>Shop<\/bdi>/)
    assert.doesNotMatch(text, new RegExp(`href="/status/${page.slug}`))
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, href]) => href as string)
    assert.ok(
      links.includes(`/monitors/${id}`) && links.includes('/history') && links.includes(`/incidents/${incident.id}`),
    )
    for (const href of links) assert.equal((await on('status.one.example', href)).status, 200, href)
    assert.match(text, /<link rel="canonical" href="https:\/\/status\.one\.example">/)
    assert.equal((await fetchPage(`${api.server.url}/status/${page.slug}`)).status, 200, 'the slug still works')
  })

  test('is matched case-insensitively, with a port and with a trailing dot', async () => {
    const { client } = await api.tenant()
    await createPage(client, [], { name: 'Two', customDomain: 'status.two.example' })
    for (const host of ['STATUS.Two.example', 'status.two.example:8443', 'status.two.example.']) {
      assert.match((await on(host)).text, /<bdi>Two<\/bdi>/, host)
    }
  })

  test('unknown paths get an HTML 404 page, not a JSON error', async () => {
    const { client } = await api.tenant()
    await createPage(client, [], { customDomain: 'status.three.example' })
    // The dashboard is not served on custom domains either.
    for (const path of ['/nothing/here', '/sign-in', '/o/default/']) {
      const { status, headers, text } = await on('status.three.example', path)
      assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], path)
      assert.match(text, /Page not found/)
    }
  })

  test('a host that is not the domain of a published page gets the usual answers', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [], { customDomain: 'status.five.example' })
    const isUsual = async (host: string) => {
      for (const path of ['/', '/sign-in', '/nothing']) {
        const [usual, here] = [await on('127.0.0.1', path), await on(host, path)]
        assert.deepEqual([here.status, here.text], [usual.status, usual.text.replace(ID, idIn(here.text))], host + path)
      }
    }
    for (const host of [
      'unknown.example',
      'pharos.example',
      'localhost',
      '[::1]:80',
      '',
      'a b.example',
      'x'.repeat(300),
    ]) {
      await isUsual(host)
    }
    await client.patch(`/status-pages/${page.id}`, { published: false })
    await isUsual('status.five.example')
    await client.patch(`/status-pages/${page.id}`, { published: true, customDomain: 'status.six.example' })
    await isUsual('status.five.example')
    assert.equal((await on('status.six.example')).status, 200)
  })

  test('asks for the password there too, and the cookie is valid for the whole domain', async () => {
    const { client } = await api.tenant()
    await createPage(client, [], {
      customDomain: 'status.seven.example',
      visibility: 'PASSWORD',
      password: 'correct horse',
    })
    assert.equal((await on('status.seven.example', '/history')).status, 401)
    const url = `${api.server.url}/history`
    const headers = { host: 'status.seven.example', 'x-forwarded-proto': 'https' }
    const { status, headers: answered } = await fetchPage(url, { headers, form: { password: 'correct horse' } })
    assert.deepEqual([status, answered.location], [303, '/history'])
    const [cookie = ''] = answered['set-cookie'] ?? []
    assert.match(cookie, /; Path=\/; .*; Secure$/)
    const opened = await on('status.seven.example', '/', { cookie: cookie.split(';')[0] as string })
    assert.equal(opened.status, 200)
  })
})
