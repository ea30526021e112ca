import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { bodyOf } from '../../support/server.ts'

const HOOK = { channel: 'WEBHOOK', settings: { url: 'https://hooks.example/alerts' } }

forEachEngine('the alert coverage', (engine) => {
  const installation = useInstallation(engine)
  const make = async (name: string): Promise<string> => {
    const { body } = await installation.owner.post('/v1/monitors', { name, type: 'HTTP', url: 'https://example.com/' })
    return body.id
  }
  const contact = async (fields: object = {}): Promise<string> => {
    return bodyOf(await installation.owner.post('/v1/contacts', { name: 'On call', ...HOOK, ...fields }), 201).id
  }
  const coverage = async (query = '') => (await installation.owner.get(`/v1/alert-coverage${query}`)).body
  beforeEach(async () => {
    const { owner } = installation
    for (const { id } of (await owner.get('/v1/monitors?limit=100')).body.data) await owner.delete(`/v1/monitors/${id}`)
    for (const { id } of (await owner.get('/v1/contacts')).body.data) await owner.delete(`/v1/contacts/${id}`)
  })

  test('names monitors that no contact covers, and leaves paused ones out', async () => {
    assert.deepEqual(await coverage(), { uncovered: 0, monitors: [], contacts: 'NONE', failing: [] })
    const ids = [await make('a'), await make('b'), await make('c'), await make('d')]
    const paused = await make('paused')
    await installation.owner.post(`/v1/monitors/${paused}/pause`, {})
    const { uncovered, monitors, contacts } = await coverage()
    assert.deepEqual([uncovered, contacts], [4, 'NONE'])
    assert.deepEqual(
      monitors.map(({ id }: { id: string }) => id),
      ids.slice(0, 3),
    )
    assert.equal((await coverage(`?monitorId=${ids[3]}`)).uncovered, 1)
    assert.equal((await coverage(`?monitorId=${paused}`)).uncovered, 0)
  })

  test('counts contacts with their exceptions', async () => {
    const [a, b] = [await make('a'), await make('b')]
    const all = await contact()
    assert.deepEqual(await coverage(), { uncovered: 0, monitors: [], contacts: 'USABLE', failing: [] })
    await installation.owner.delete(`/v1/monitors/${a}/contacts/${all}`)
    assert.partialDeepStrictEqual(await coverage(), { uncovered: 1, monitors: [{ id: a, name: 'a' }] })
    assert.equal((await coverage(`?monitorId=${b}`)).uncovered, 0)
    const some = await contact({ covers: 'CHOSEN' })
    await installation.owner.put(`/v1/monitors/${a}/contacts/${some}`)
    assert.equal((await coverage()).uncovered, 0)
  })

  test('counts contacts that cover monitors by their labels', async () => {
    const [a, b, c] = [await make('a'), await make('b'), await make('c')]
    await installation.owner.put(`/v1/monitors/${a}/labels`, { labels: { team: 'shop', env: 'prod' } })
    await installation.owner.put(`/v1/monitors/${b}/labels`, { labels: { team: 'shop' } })
    await contact({ covers: 'LABELS', selector: 'team=shop,env=prod' })
    const id = await contact({ covers: 'LABELS', selector: 'team=nobody' })
    const names = async () => (await coverage()).monitors.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(), ['b', 'c'])
    assert.deepEqual(
      [(await coverage(`?monitorId=${a}`)).uncovered, (await coverage(`?monitorId=${c}`)).uncovered],
      [0, 1],
    )
    await installation.owner.patch(`/v1/contacts/${id}`, { selector: '!team' })
    assert.deepEqual(await names(), ['b'])
    await installation.owner.post(`/v1/contacts/${id}/disable`)
    assert.deepEqual(await names(), ['b', 'c'])
  })

  test('a contact that is disabled or gets no alerts of outages covers nothing', async () => {
    await make('a')
    const id = await contact({ kinds: ['CERTIFICATE_EXPIRING'] })
    assert.deepEqual([(await coverage()).uncovered, (await coverage()).contacts], [1, 'NO_OUTAGES'])
    await installation.owner.post(`/v1/contacts/${id}/disable`)
    assert.deepEqual([(await coverage()).uncovered, (await coverage()).contacts], [1, 'DISABLED'])
  })
})
