import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, setLabels, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'

forEachEngine('selectors of status page sections', (engine) => {
  const api = useApi(engine)

  const page = async (client: Client, sections: object) => {
    const answer = await client.post('/status-pages', { name: 'Status', sections })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    const { id, slug } = answer.body
    const setSelectors = (given: object) => client.send('PUT', `/status-pages/${id}/selectors`, { sections: given })
    /** The monitors of each section, as visitors see them. */
    const shown = async (): Promise<Record<string, string[]>> => {
      const response = await fetch(`${api.server.url}/status/${slug}/api/v2/summary.json`)
      const { components } = (await response.json()) as {
        components: { id: string; name: string; group: boolean; group_id: string | null }[]
      }
      const names = new Map(components.filter(({ group }) => group).map((each) => [each.id, each.name]))
      const found: Record<string, string[]> = {}
      for (const { name, group, group_id: groupId } of components) {
        const section = names.get(groupId ?? '') ?? ''
        if (!group) found[section] = [...(found[section] ?? []), name]
      }
      return found
    }
    return { id, slug, setSelectors, shown }
  }

  test('a section shows the monitors that match, by name, after the chosen ones, and follows labels', async () => {
    const { client } = await api.tenant()
    const [zoo, ant, bee, cow] = [
      await createMonitor(client, smallest('CRON', { name: 'Zoo' })),
      await createMonitor(client, smallest('CRON', { name: 'ant' })),
      await createMonitor(client, smallest('CRON', { name: 'Bee' })),
      await createMonitor(client, smallest('CRON', { name: 'cow' })),
    ]
    for (const { id } of [zoo, bee]) await setLabels(client, id, { team: 'pay' })
    const { id, setSelectors, shown } = await page(client, [
      { name: 'Chosen', monitors: [{ monitorId: ant.id, displayName: 'The ant' }] },
      { name: 'Team', monitors: [{ monitorId: zoo.id }] },
    ])
    const before = (await client.get(`/status-pages/${id}`)).body
    const answer = await setSelectors([{ name: 'Team', selector: 'team = pay' }])
    assert.deepEqual(answer.body, {
      sections: [
        { name: 'Chosen', selector: null },
        { name: 'Team', selector: 'team=pay' },
      ],
    })
    assert.deepEqual(await shown(), { Chosen: ['The ant'], Team: ['Zoo', 'Bee'] })
    assert.deepEqual((await client.get(`/status-pages/${id}`)).body, before, 'no field of the page changes')
    await setLabels(client, cow.id, { team: 'pay' })
    assert.deepEqual(await shown(), { Chosen: ['The ant'], Team: ['Zoo', 'Bee', 'cow'] })
    await setLabels(client, bee.id, {})
    assert.deepEqual(await shown(), { Chosen: ['The ant'], Team: ['Zoo', 'cow'] })
    await client.patch(`/status-pages/${id}`, { sections: [{ name: 'Team', monitors: [] }] })
    assert.deepEqual(await shown(), { Team: ['cow', 'Zoo'] })
    await client.delete(`/monitors/${cow.id}`)
    assert.deepEqual(await shown(), { Team: ['Zoo'] })
    await client.patch(`/status-pages/${id}`, { sections: [{ name: 'Renamed', monitors: [] }] })
    assert.deepEqual((await client.get(`/status-pages/${id}/selectors`)).body, {
      sections: [{ name: 'Renamed', selector: null }],
    })
    assert.deepEqual(await shown(), {})
    assert.equal((await client.delete(`/status-pages/${id}`)).status, 200)
  })

  test('selectors add monitors until the page has 1,000 entries, in the order of the sections', async () => {
    const { client } = await api.tenant()
    const ids: string[] = []
    for (let i = 0; i < 25; i += 1) {
      const { id } = await createMonitor(client, smallest('CRON', { name: `Monitor ${i}` }))
      await setLabels(client, id, { team: 'pay' })
      ids.push(id)
    }
    const chosen = ids.slice(0, 20).map((monitorId) => ({ monitorId }))
    const full = Array.from({ length: 47 }, (_, i) => ({ name: `Full ${i}`, monitors: chosen }))
    const { slug, setSelectors } = await page(client, [
      { name: 'Z', monitors: chosen },
      ...full,
      { name: 'Y', monitors: [] },
      { name: 'X', monitors: [] },
    ])
    const answer = await setSelectors(['X', 'Y', 'Z'].map((name) => ({ name, selector: 'team=pay' })))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const text = await (await fetch(`${api.server.url}/status/${slug}`)).text()
    const parts = text.split('<section class="part">').filter((part) => /<bdi>[XYZ]<\/bdi>/.test(part))
    assert.deepEqual(
      parts.map((part) => part.match(/<li>/g)?.length),
      [25, 25, 10],
    )
  })

  test('unknown and repeated sections and invalid selectors are refused', async () => {
    const { client } = await api.tenant()
    const { setSelectors } = await page(client, [{ name: 'A', monitors: [] }])
    const faulty = [
      [[{ name: 'B', selector: 'a' }], 'sections.0.name'],
      [
        [
          { name: 'A', selector: 'a' },
          { name: 'A', selector: 'b' },
        ],
        'sections.1.name',
      ],
      [[{ name: 'A', selector: 'a b' }], 'sections.0.selector'],
    ] as const
    for (const [given, path] of faulty) {
      const answer = await setSelectors(given)
      expectError(answer, 'validation_error', [path])
    }
  })
})
