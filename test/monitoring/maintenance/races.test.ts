import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Body, createWindow, hourFrom } from '../../support/maintenance.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import type { Answer, Client } from '../../support/server.ts'

async function monitors(client: Client, count: number): Promise<string[]> {
  const list: string[] = []
  for (let i = 0; i < count; i += 1) list.push((await createMonitor(client, smallest('CRON'))).id)
  return list
}

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].toSorted()

forEachEngine('concurrent changes of windows', (engine) => {
  const api: Api = useApi(engine)

  test('a monitor that is deleted while windows are added for it is in none of them, and nothing fails', async () => {
    const { client } = await api.tenant()
    const ids = await monitors(client, 12)
    const windows = await Promise.all(
      ids.map((_, i) => createWindow(client, { allMonitors: false, monitorIds: ids.slice(i % 6, (i % 6) + 6) })),
    )
    const doomed = ids.slice(3, 9)
    const [deletions, ...changes] = await Promise.all([
      Promise.all(doomed.map((id) => client.delete(`/monitors/${id}`))),
      ...windows.map(({ id }, i) =>
        client.patch(`/maintenance-windows/${id}`, { monitorIds: ids.toSpliced(i, 1).toReversed() }),
      ),
      ...ids.map((_, i) =>
        client.post('/maintenance-windows', { name: 'x', ...hourFrom(Date.now(), i), monitorIds: ids.slice(0, i + 1) }),
      ),
    ])
    assert.deepEqual(statuses(deletions), [200])
    assert.deepEqual(
      statuses(changes).filter((status) => ![200, 201, 400].includes(status)),
      [],
    )
    const { body } = await client.get('/maintenance-windows?limit=100')
    for (const window of body.data) {
      assert.deepEqual(
        window.monitorIds.filter((id: string) => doomed.includes(id)),
        [],
      )
    }
  })

  test('concurrent updates and deletions each happen completely or not at all', async () => {
    const { client } = await api.tenant()
    const window = await createWindow(client, hourFrom(Date.now(), -1_000))
    const path = `/maintenance-windows/${window.id}`
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, i) =>
        client.patch(path, { name: `No. ${i}`, ...hourFrom(Date.now(), i * 1_000) }),
      ),
      client.delete(path),
      client.delete(path),
    ])
    assert.deepEqual(
      statuses(answers).filter((status) => ![200, 404].includes(status)),
      [],
    )
    const gone = answers.slice(-2).filter(({ status }: Body) => status === 200)
    assert.equal(gone.length, 1)
    assert.equal((await client.get('/maintenance-windows')).body.pagination.total, 0)
  })
})
