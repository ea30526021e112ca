import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { insertKey } from '../../src/accounts/keys/insert.ts'
import { createOrganization } from '../../src/accounts/organizations/create.ts'
import { operations } from '../../src/server/operations/table.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { closedPort } from '../support/ports.ts'
import { type Client, clientOf } from '../support/server.ts'
import { startProcess } from '../support/server-process.ts'
import { settle } from '../support/webhooks.ts'
import { migratedWorkspace } from '../support/workspace.ts'
import { Placeholders, readSteps, recording, replay, type Step } from './replay.ts'

const steps = readSteps()
/** Writes the answers of this version instead of comparing them. Requests are written by hand. */
const isRecording = process.env.PHAROS_RECORD === 'yes'
if (isRecording && process.env.CI === 'true') throw new Error('CI compares answers; unset PHAROS_RECORD')

test('the recorded run uses every operation of the specification', () => {
  const specified = operations.filter(({ extension }) => extension !== true).map(({ id }) => id)
  assert.equal(specified.length, 37)
  const succeeded = steps.filter(({ response }) => response.status < 300)
  assert.deepEqual([...new Set(succeeded.map(({ operation }) => operation))].toSorted(), specified.toSorted())
  const known = new Set(operations.map(({ id }) => id))
  for (const { operation } of steps) assert.ok(known.has(operation), operation)
})

/** Sends all requests of the run; returns them with the answers. `fail` marks a delivery as failed. */
async function replayAll(client: Client, url: string, fail: (deliveryId: string) => Promise<void>): Promise<Step[]> {
  const base = url.replace('127.0.0.1', 'localhost')
  const placeholders = new Placeholders({ port: String(await closedPort()), base })
  const replayed: Step[] = []
  for (const [i, step] of steps.entries()) {
    if (step.failedDelivery !== undefined) await fail(placeholders.fillText(step.failedDelivery))
    const response = await replay(client, step, placeholders)
    const { method, path } = step.request
    // As text, because the order of fields counts, too.
    if (!isRecording) {
      const compared = [response, step.response].map((each) => JSON.stringify(each, null, 2))
      assert.equal(compared[0], compared[1], `step ${i + 1}: ${method} ${path}`)
    }
    replayed.push({ ...step, response })
  }
  return replayed
}

forEachEngine('a recorded run of the API', (engine) => {
  const api = useApi(engine)

  test('gets the same answers', async () => {
    const { client } = await api.tenant()
    const replayed = await replayAll(client, api.server.url, (id) => settle(api.server, id, 'FAILED'))
    if (isRecording && engine === 'sqlite') {
      writeFileSync(recording, replayed.map((step) => `${JSON.stringify(step)}\n`).join(''))
    }
  })

  test('gets the same answers from the built server', { skip: isRecording }, async () => {
    await using place = await migratedWorkspace(engine)
    await using server = await startProcess({ ...place.env, PHAROS_ROLES: 'api' })
    const database = await place.open()
    const { id: orgId } = await database.write(() =>
      createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, Date.now()),
    )
    const key = { orgId, name: 'test', access: 'full', expiresAt: null } as const
    const { secret } = await database.write(() => insertKey(key, Date.now()))
    const client = clientOf(server.url, { 'x-api-key': secret })
    await replayAll(client, server.url, (id) => settle({ running: { database } }, id, 'FAILED'))
  })
})
