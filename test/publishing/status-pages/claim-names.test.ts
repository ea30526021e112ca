import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { createPage, currentPage, untouchedBy } from '../../support/status.ts'

forEachEngine('slugs and custom domains of status pages', (engine) => {
  const api = useApi(engine)
  derived(api)
  chosen(api)
  domains(api)
})

function derived(api: Api): void {
  test('a slug is made from the name, with the next free number if it is in use', async () => {
    const [{ client }, other] = [await api.tenant(), await api.tenant()]
    const name = 'Ärger im Büro: 100 %'
    assert.equal((await createPage(client, { name })).slug, 'arger-im-buro-100')
    assert.equal((await createPage(other.client, { name })).slug, 'arger-im-buro-100-2')
    await createPage(client, { slug: 'arger-im-buro-100-3' })
    assert.equal((await createPage(client, { name })).slug, 'arger-im-buro-100-4')
  })

  test('a released number is used again', async () => {
    const { client } = await api.tenant()
    const name = 'Comes and goes'
    const pages = [
      await createPage(client, { name }),
      await createPage(client, { name }),
      await createPage(client, { name }),
    ]
    await client.delete(`/status-pages/${pages[1]?.id}`)
    assert.equal((await createPage(client, { name })).slug, 'comes-and-goes-2')
  })

  test('a name of maximum length leaves room for the number', async () => {
    const { client } = await api.tenant()
    const name = 'l'.repeat(120)
    assert.equal((await createPage(client, { name })).slug, 'l'.repeat(63))
    assert.equal((await createPage(client, { name })).slug, `${'l'.repeat(61)}-2`)
  })

  test('twelve concurrent pages with the same name get twelve slugs without a gap', async () => {
    const tenants = await Promise.all(Array.from({ length: 4 }, () => api.tenant()))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => tenants[i % 4]?.client.post('/status-pages', { name: 'Rush hour' })),
    )
    const slugs = answers.map((answer) => answer?.body.slug).sort()
    const expected = Array.from({ length: 12 }, (_, i) => (i === 0 ? 'rush-hour' : `rush-hour-${i + 1}`)).sort()
    assert.deepEqual(slugs, expected)
  })
}

function chosen(api: Api): void {
  test('a slug in use by any organization is 409, and nothing is created', async () => {
    const [{ client }, other] = [await api.tenant(), await api.tenant()]
    await createPage(client, { slug: 'taken' })
    const page = await createPage(other.client)
    for (const asking of [client, other.client]) {
      const answer = await untouchedBy(asking, () => asking.post('/status-pages', { name: 'A', slug: 'taken' }))
      expectError(answer, 'conflict')
    }
    const change = () => other.client.patch(`/status-pages/${page.id}`, { slug: 'taken', name: 'Not applied' })
    expectError(await untouchedBy(other.client, change), 'conflict')
  })

  test('only one of twenty concurrent requests gets a slug', async () => {
    const { client } = await api.tenant()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post('/status-pages', { name: 'A', slug: 'contested' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...new Array(19).fill(409)])
    assert.equal((await client.get('/status-pages')).body.pagination.total, 1)
  })

  test('a slug is free again after its page was renamed or deleted', async () => {
    const { client } = await api.tenant()
    const { id } = await createPage(client, { slug: 'first-slug' })
    const renamed = (await client.patch(`/status-pages/${id}`, { slug: 'second-slug' })).body
    assert.match(renamed.url, /\/status\/second-slug$/)
    const next = await createPage(client, { slug: 'first-slug' })
    expectError(await client.patch(`/status-pages/${id}`, { slug: 'first-slug' }), 'conflict')
    await client.delete(`/status-pages/${next.id}`)
    assert.equal((await client.patch(`/status-pages/${id}`, { slug: 'first-slug' })).body.slug, 'first-slug')
    assert.equal((await client.patch(`/status-pages/${id}`, { slug: 'first-slug' })).status, 200)
  })

  test('changing the name keeps the slug', async () => {
    const { client } = await api.tenant()
    const { id, slug } = await createPage(client, { name: 'Before the change' })
    await client.patch(`/status-pages/${id}`, { name: 'After the change' })
    assert.equal((await currentPage(client, id)).slug, slug)
  })
}

function domains(api: Api): void {
  test('a domain is stored in lower case and ASCII, and is unique in any spelling', async () => {
    const [{ client }, other] = [await api.tenant(), await api.tenant()]
    const page = await createPage(client, { customDomain: 'Status.MÜNCHEN.example' })
    assert.equal(page.customDomain, 'status.xn--mnchen-3ya.example')
    assert.equal(page.url, 'https://status.xn--mnchen-3ya.example')
    for (const customDomain of ['status.münchen.example', 'STATUS.xn--mnchen-3ya.example']) {
      const answer = await untouchedBy(other.client, () =>
        other.client.post('/status-pages', { name: 'A', customDomain }),
      )
      expectError(answer, 'conflict')
    }
    const again = await client.patch(`/status-pages/${page.id}`, { customDomain: 'STATUS.münchen.EXAMPLE' })
    assert.deepEqual(again.body, page)
  })

  test('a domain is free again after its page dropped it, changed it or was deleted', async () => {
    const { client } = await api.tenant()
    const customDomain = 'moves.example.com'
    const { id, slug } = await createPage(client, { customDomain })
    const bare = (await client.patch(`/status-pages/${id}`, { customDomain: null })).body
    assert.deepEqual([bare.customDomain, new URL(bare.url).pathname], [null, `/status/${slug}`])
    const second = await createPage(client, { customDomain })
    expectError(await client.patch(`/status-pages/${id}`, { customDomain }), 'conflict')
    await client.patch(`/status-pages/${second.id}`, { customDomain: 'elsewhere.example.com' })
    await client.patch(`/status-pages/${id}`, { customDomain })
    await client.delete(`/status-pages/${id}`)
    assert.equal((await createPage(client, { customDomain })).customDomain, customDomain)
  })

  test('only one of ten concurrent requests gets a domain', async () => {
    const { client } = await api.tenant()
    const body = { name: 'A', customDomain: 'contested.example.com' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.post('/status-pages', body)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...new Array(9).fill(409)])
  })
}
