import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { listen } from '../outbound/fixtures.ts'
import { withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { migratedDatabase } from '../support/postgres.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'
import { startProcess } from '../support/server-process.ts'
import { createDelivery, createEndpoint, currentDelivery } from '../support/webhooks.ts'

/** A webhook receiver that holds its responses until the test releases them. */
async function startHoldingReceiver() {
  let received = 0
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    received += 1
    request.resume()
    await answered
    response.end()
  })
  const listener = await listen(server)
  return { ...listener, url: `http://127.0.0.1:${listener.port}/hook`, answer, received: () => received }
}

test('a process that is stopped and continued is replaced, and does nothing a second time', {
  skip: withoutPostgres,
}, async (t) => {
  const own = await migratedDatabase()
  const outside = new pg.Client(own.url)
  await outside.connect()
  const names = async (): Promise<string[]> =>
    (await outside.query('select name from nodes order by started_at')).rows.map(({ name }) => name)
  try {
    await using receiver = await startHoldingReceiver()
    const env = { DATABASE_URL: own.url, PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    await using first = await startProcess(env)
    const endpoint = await createEndpoint(clientOf(first.url, { 'x-api-key': BOOTSTRAP_KEY }), { url: receiver.url })
    const delivery = await createDelivery(clientOf(first.url, { 'x-api-key': BOOTSTRAP_KEY }), endpoint.id)
    await eventually(async () => assert.equal(receiver.received(), 1))
    const [firstName] = await names()
    await using second = await startProcess(env)
    process.kill(first.pid, 'SIGSTOP')
    const stoppedAt = performance.now()
    try {
      await eventually(async () => assert.equal(receiver.received(), 2, 'the other node sends it'))
      t.diagnostic(`taken over after ${Math.round(performance.now() - stoppedAt)} ms`)
      assert.ok(!(await names()).includes(firstName as string))
      receiver.answer()
      const client = clientOf(second.url, { 'x-api-key': BOOTSTRAP_KEY })
      await eventually(async () => assert.equal((await currentDelivery(client, delivery.id)).status, 'SUCCEEDED'))
    } finally {
      process.kill(first.pid, 'SIGCONT')
    }
    await eventually(async () => assert.equal((await names()).length, 2, 'it joins again'))
    assert.ok(!(await names()).includes(firstName as string), 'under a new name')
    const client = clientOf(first.url, { 'x-api-key': BOOTSTRAP_KEY })
    // Time in which it would send or record what it had begun.
    await pause(3_000)
    assert.equal(receiver.received(), 2)
    const { status, attemptCount, attempts } = await currentDelivery(client, delivery.id)
    assert.deepEqual([status, attemptCount ?? attempts.length], ['SUCCEEDED', 1])
    await createDelivery(client, endpoint.id)
    await eventually(async () => assert.equal(receiver.received(), 3))
  } finally {
    await outside.end()
    await own.drop()
  }
})
