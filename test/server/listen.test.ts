import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CannotListen } from '../../src/server/listen.ts'
import { startTestServer } from '../support/server.ts'

const onLinux = { skip: process.platform !== 'linux' && 'only Linux spreads connections over the sockets of a port' }

/** State 0A of /proc/net/tcp is LISTEN. */
function listeningSockets(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => new RegExp(`^ *\\d+: [0-9A-F]{8}:${hex} [0-9A-F:]+ 0A`).test(line)).length
}

test('a port has 64 listening sockets, all of them answer, and all end with the server', onLinux, async () => {
  const server = await startTestServer('sqlite')
  const port = Number(new URL(server.url).port)
  assert.equal(listeningSockets(port), 64)
  // The kernel picks the socket by the client's port: 256 connections reach nearly every one.
  const statuses = await Promise.all(
    Array.from({ length: 256 }, async () => {
      const response = await fetch(`${server.url}/healthz`, { headers: { connection: 'close' } })
      await response.text()
      return response.status
    }),
  )
  assert.deepEqual(new Set(statuses), new Set([200]))
  await server.stop()
  assert.equal(listeningSockets(port), 0)
})

test('a second server does not share the port of the first', onLinux, async () => {
  await using server = await startTestServer('sqlite')
  await assert.rejects(startTestServer('sqlite', { env: { PORT: new URL(server.url).port } }), CannotListen)
})
