import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { createPage, fetchPage } from '../public-site/fixtures.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

forEachEngine('the logo of a status page', (engine) => {
  const api = useApi(engine)

  test('is stored, shown on the page and served as an image that can do nothing', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const put = (image: string) => client.send('PUT', `/status-pages/${page.id}/logo`, { image })
    const { status, body } = await put(PNG.toString('base64'))
    assert.equal(status, 200, JSON.stringify(body))
    const path = new URL(body.logoUrl).pathname
    const { text } = await fetchPage(`${api.server.url}/status/${page.slug}`)
    assert.ok(text.includes(`<img class="logo" src="${path}" alt="">`))
    const answer = await fetch(`${api.server.url}${path}`)
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), PNG)
    assert.equal(answer.headers.get('content-type'), 'image/png')
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')

    const other = Buffer.concat([PNG, Buffer.from('x')])
    const replaced = new URL((await put(other.toString('base64'))).body.logoUrl).pathname
    assert.notEqual(replaced, path)
    assert.equal((await fetch(`${api.server.url}${path}`)).status, 404, 'the replaced image is gone')
    assert.equal((await client.patch(`/status-pages/${page.id}`, { logoUrl: null })).body.logoUrl, null)
    await client.delete(`/status-pages/${page.id}`)
    assert.equal((await fetch(`${api.server.url}${replaced}`)).status, 404, 'it goes with its page')
  })

  test('is no SVG, no other file, no larger than 256 KiB, and no base64 of another form', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const refused = [svg, 'GIF', `<!--${PNG.toString('latin1')}`].map((text) => Buffer.from(text).toString('base64'))
    refused.push(Buffer.concat([PNG, Buffer.alloc(256 * 1024)]).toString('base64'), `${PNG.toString('base64')}!`, 'ÿØÿ')
    for (const image of refused) {
      expectError(await client.send('PUT', `/status-pages/${page.id}/logo`, { image }), 'validation_error', ['image'])
    }
    assert.equal((await client.get(`/status-pages/${page.id}`)).body.logoUrl, null)
  })
})
