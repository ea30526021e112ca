import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchAgain } from '../../dashboard/src/api/fetch-again.ts'
import { answer, disconnect, startScriptedServer } from '../clients/scripted-server.ts'

test('a GET on a closed connection is sent once more', async () => {
  await using server = await startScriptedServer(disconnect, answer(200, {}), disconnect)
  assert.equal((await fetchAgain(new Request(server.url))).status, 200)
  assert.equal(server.received.length, 2)
  await assert.rejects(fetchAgain(new Request(server.url)), TypeError)
  assert.equal(server.received.length, 4)
})

test('a change on a closed connection is not repeated', async () => {
  await using server = await startScriptedServer(disconnect)
  await assert.rejects(fetchAgain(new Request(server.url, { method: 'POST', body: '{}' })), TypeError)
  assert.equal(server.received.length, 1)
})
