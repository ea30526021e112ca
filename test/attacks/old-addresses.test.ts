import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeOldAddresses } from '../../src/cli/judge-old-addresses.ts'
import { HOUR_MS } from '../../src/lib/clock.ts'
import type { MonitorSettings } from '../../src/monitoring/monitor-settings/schema.ts'
import { protectSettings } from '../../src/monitoring/monitor-settings/secrets.ts'
import { execute, q } from '../../src/storage/query.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { testSealer } from '../support/installation.ts'
import { bodyOf, type Client, startTestServer, type TestServer } from '../support/server.ts'

const TOKEN = 'd0w7Kx4pQz'

async function makeJob(client: Client): Promise<string> {
  return bodyOf(await client.post('/monitors', { name: 'Backup', type: 'CRON' }), 201).id
}

const setAddress = (client: Client, id: string, address: object) =>
  client.send('PUT', `/monitors/${id}/legacy-address`, address)

async function startServer(engine: 'sqlite' | 'postgres') {
  const clock = new HandClock()
  const server = await startTestServer(engine, { clock, env: { PHAROS_ROLES: 'api' } })
  const stranger = server.client((await server.organization('PRO')).key)
  return { server, clock, owner: server.client(), stranger, [Symbol.asyncDispose]: () => server.stop() }
}

const findings = async ({ running }: TestServer): Promise<string[]> =>
  (await running.database.read(judgeOldAddresses(testSealer))).map(({ message }) => message)

forEachEngine('the old address of a job', (engine) => {
  test('cannot be guessed: its secret has at least 10 characters', async () => {
    await using scene = await startServer(engine)
    const { owner } = scene
    const id = await makeJob(owner)
    for (const [address, path] of [
      [{ tool: 'KUMA', token: '123456789' }, 'token'],
      [{ tool: 'HEALTHCHECKS', token: 'key/slugs' }, 'token'],
      [{ tool: 'GATUS', token: 'core_backup', bearer: '123456789' }, 'bearer'],
    ] as const) {
      const { status, body } = await setAddress(owner, id, address)
      const message = 'must have at least 10 characters, because shorter ones can be guessed'
      assert.deepEqual([status, body.error.details], [400, [{ path, message }]])
      const monitors = { backup: { name: 'Backup', type: 'CRON', legacyAddress: address } }
      const planned = await owner.post('/configuration/plan', { document: { version: 1, monitors } })
      const at = `document.monitors.backup.legacyAddress.${path}`
      assert.deepEqual([planned.status, planned.body.error.details[0].path], [400, at])
    }
    for (const address of [
      { tool: 'KUMA', token: '1234567890' },
      { tool: 'GATUS', token: 'a_b', bearer: '1234567890' },
      { tool: 'GATUS', token: 'set', bearer: 'set' },
    ]) {
      assert.equal((await setAddress(owner, id, address)).status, 200, JSON.stringify(address))
    }
  })

  test('is given to one of several monitors that ask for it at the same time, and the others get a 400', async () => {
    await using scene = await startServer(engine)
    const { owner } = scene
    for (let round = 0; round < 3; round += 1) {
      const ids = await Promise.all(Array.from({ length: 4 }, () => makeJob(owner)))
      const address = { tool: 'KUMA', token: `${TOKEN}${round}` }
      const answers = await Promise.all(ids.map((id) => setAddress(owner, id, address)))
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, 400, 400, 400])
    }
  })

  test('gets the same answer whether the caller or another organization uses it, and ten refusals an hour', async () => {
    await using scene = await startServer(engine)
    const { owner, stranger, clock } = scene
    assert.equal((await setAddress(owner, await makeJob(owner), { tool: 'KUMA', token: TOKEN })).status, 200)
    const own = await setAddress(owner, await makeJob(owner), { tool: 'KUMA', token: TOKEN })
    const id = await makeJob(stranger)
    const foreign = await setAddress(stranger, id, { tool: 'KUMA', token: TOKEN })
    assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'validation_error'])
    assert.deepEqual(
      { ...foreign.body.error, requestId: '' },
      { ...own.body.error, requestId: '' },
      'the answer tells nothing about organizations',
    )
    for (let i = 1; i < 10; i += 1) await setAddress(stranger, id, { tool: 'KUMA', token: TOKEN })
    for (const token of [TOKEN, 'not-used-by-anybody']) {
      const { status, headers } = await setAddress(stranger, id, { tool: 'KUMA', token })
      assert.deepEqual([status, headers.get('retry-after')], [429, '3600'], token)
    }
    const { planId } = (
      await stranger.post('/configuration/plan', {
        document: {
          version: 1,
          monitors: { backup: { name: 'B', type: 'CRON', legacyAddress: { tool: 'KUMA', token: TOKEN } } },
        },
      })
    ).body
    assert.equal((await stranger.post('/configuration/apply', { planId })).status, 429)
    assert.equal((await setAddress(owner, await makeJob(owner), { tool: 'KUMA', token: 'another-token' })).status, 200)
    clock.advance(HOUR_MS)
    assert.equal((await setAddress(stranger, id, { tool: 'KUMA', token: 'not-used-by-anybody' })).status, 200)
  })

  test('is named by pharos doctor while another organization has it', async () => {
    await using scene = await startServer(engine)
    const { server, owner, stranger } = scene
    const [held, wanting] = [await makeJob(stranger), await makeJob(owner)]
    await setAddress(stranger, held, { tool: 'KUMA', token: TOKEN })
    for (let i = 0; i < 2; i += 1) await setAddress(owner, wanting, { tool: 'KUMA', token: TOKEN })
    await setAddress(stranger, await makeJob(stranger), { tool: 'KUMA', token: TOKEN })
    await eventually(async () => {
      const [found, ...others] = await findings(server)
      assert.match(
        String(found),
        new RegExp(`^${held} of test takes signals at an old address that default wanted for ${wanting} `),
      )
      assert.ok(!found?.includes(TOKEN))
      assert.deepEqual(others, [], 'not one of the same organization')
    })
    await stranger.delete(`/monitors/${held}/legacy-address`)
    assert.deepEqual(await findings(server), [])
    assert.equal((await setAddress(owner, wanting, { tool: 'KUMA', token: TOKEN })).status, 200)
    assert.deepEqual(await findings(server), [])
  })

  test('is named by pharos doctor if an earlier version has accepted one that can be guessed', async () => {
    await using scene = await startServer(engine)
    const { server, owner } = scene
    const [good, id] = [await makeJob(owner), await makeJob(owner)]
    await setAddress(owner, good, { tool: 'KUMA', token: TOKEN })
    assert.deepEqual(await findings(server), [])
    const of = { orgId: await server.defaultOrgId(), id }
    const legacyAddress = { tool: 'KUMA', token: 'short' } as const
    const { options, secrets, legacyHash } = protectSettings({} as MonitorSettings, of, testSealer, { legacyAddress })
    const columns = { options, secrets, legacy_hash: legacyHash }
    await server.running.database.write(() => execute(q.updateTable('monitors').set(columns).where('id', '=', id)))
    const found = await findings(server)
    assert.equal(found.length, 1)
    assert.match(String(found[0]), new RegExp(`^${id} of default .*others can guess.* remove-legacy-address ${id}`))
  })
})
