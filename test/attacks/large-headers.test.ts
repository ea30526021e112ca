import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MonitorSettings } from '../../src/monitoring/monitor-settings/schema.ts'
import { protectSettings } from '../../src/monitoring/monitor-settings/secrets.ts'
import { q, run, statement } from '../../src/storage/query.ts'
import { useApi } from '../support/api.ts'
import { testSealer } from '../support/installation.ts'
import { createMonitor, current, expectError } from '../support/monitors.ts'
import { claim } from '../support/person.ts'
import type { TestServer } from '../support/server.ts'

const MAX_HEADERS = 64
const MAX_CHARS = 16_384

function headers(count: number, valueLength = 1): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`x-${String(i).padStart(3, '0')}`, 'v'.repeat(valueLength)]),
  )
}

describe('request headers of a monitor', () => {
  const api = useApi('sqlite')
  const monitor = { name: 'm', type: 'HTTP', url: 'https://example.com/' }

  test('are accepted up to 64 headers and 16,384 characters', async () => {
    const { client } = await api.tenant()
    const largest = headers(MAX_HEADERS, MAX_CHARS / MAX_HEADERS - 5)
    const { id } = await createMonitor(client, { ...monitor, requestHeaders: largest })
    assert.deepEqual((await current(client, id)).requestHeaders, largest)
    assert.equal((await client.patch(`/monitors/${id}`, { requestHeaders: largest })).status, 200)
  })

  test('beyond that are refused, with the reason, when a monitor is created, updated or tested', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, monitor)
    const owner = await claim(api.server)
    const cases: [headers: Record<string, string>, message: RegExp][] = [
      [headers(MAX_HEADERS + 1), /^must have at most 64 entries$/],
      [headers(1, MAX_CHARS - 4), /^must have names and values of at most 16384 characters in total, not 16385$/],
      [headers(64, 12_000), /^must have names and values of at most 16384 characters in total, not 768320$/],
    ]
    for (const [requestHeaders, message] of cases) {
      for (const answer of [
        await client.post('/monitors', { ...monitor, requestHeaders }),
        await client.patch(`/monitors/${id}`, { requestHeaders }),
        await owner.post('/v1/monitors/try', { ...monitor, requestHeaders }),
      ]) {
        assert.equal(answer.status, 400)
        assert.deepEqual(
          answer.body.error.details.map(({ path }: { path: string }) => path),
          ['requestHeaders'],
        )
        assert.match(answer.body.error.details[0].message, message)
      }
    }
    assert.equal((await current(client, id)).requestHeaders, null)
  })

  test('that an earlier version stored are kept, and other fields of the monitor can change', async () => {
    const { client, orgId } = await api.tenant()
    const { id } = await createMonitor(client, monitor)
    const stored = headers(100, 8_000)
    await storeHeaders(api.server, orgId, id, stored)
    assert.deepEqual((await current(client, id)).requestHeaders, stored)
    assert.equal((await client.patch(`/monitors/${id}`, { name: 'renamed' })).status, 200)
    const after = await current(client, id)
    assert.deepEqual([after.name, after.requestHeaders], ['renamed', stored])
    expectError(await client.patch(`/monitors/${id}`, { requestHeaders: stored }), 'validation_error', [
      'requestHeaders',
    ])
  })
})

const setSecrets = statement(({ id, secrets }: { id: string; secrets: string | null }) =>
  q.updateTable('monitors').set({ secrets }).where('id', '=', id),
)

/** Writes headers into the row, as versions without the bound did. */
async function storeHeaders({ running }: TestServer, orgId: string, id: string, headers: object): Promise<void> {
  const settings = { requestHeaders: headers } as MonitorSettings
  const { secrets } = protectSettings(settings, { orgId, id }, testSealer)
  await running.database.write(() => run(setSecrets, { id, secrets }))
}
