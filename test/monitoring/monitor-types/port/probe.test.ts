import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import type { ProbeTarget } from '../../../../src/contract/probe.ts'
import { probePort } from '../../../../src/monitoring/monitor-types/port/probe.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { dnsResolver } from '../../../../src/outbound/name-resolver.ts'
import { listen, never, startDns, unresponsivePort } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { closedPort } from '../../../support/ports.ts'
import { type ShownSample, shownSample } from '../../../support/reasons.ts'
import { guard, guardKnowing } from '../probing.ts'
import { targetOf } from '../target.ts'

const probe = (parts: Partial<ProbeTarget>): Promise<ShownSample> =>
  shownSample(probePort(targetOf(parts), { guard }, never))

test('an open port is up, and the connection is closed again', async () => {
  await using server = await listen(net.createServer((socket) => socket.resume()))
  const sample = await probe({ host: '127.0.0.1', port: server.port })
  assert.partialDeepStrictEqual(sample, { outcome: 'success', ip: '127.0.0.1' })
  assert.ok(sample.outcome === 'success' && sample.timings?.connectMs !== undefined)
  assert.equal(sample.timings.dnsMs, undefined)
  await server.quiet()
})

test('a name is resolved, localhost included', async () => {
  await using server = await listen(net.createServer((socket) => socket.resume()))
  assert.equal((await probe({ host: 'localhost', port: server.port })).outcome, 'success')
  await using named = await guardKnowing('db.test')
  const known = await shownSample(probePort(targetOf({ host: 'db.test', port: server.port }), named, never))
  assert.ok(known.outcome === 'success' && known.timings?.dnsMs !== undefined)
  const unknown = await shownSample(probePort(targetOf({ host: 'nil.test', port: server.port }), named, never))
  const error = 'Could not resolve nil.test'
  assert.partialDeepStrictEqual(unknown, { outcome: 'failure', code: 'DNS', kind: 'connection', error })
})

test('a closed port is down', async () => {
  const port = await closedPort()
  const error = `Connection refused by 127.0.0.1:${port}`
  const sample = await probe({ host: '127.0.0.1', port })
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'connection', error })
})

test('a port that does not answer is down when the timeout ends', async () => {
  await using silent = await unresponsivePort()
  using _time = startVirtualTime()
  const sample = await probe({ host: '127.0.0.1', port: silent.port, timeoutMs: 200 })
  const error = 'Connection to 127.0.0.1 timed out after 200 ms'
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })
})

test('a DNS server that does not answer is reported as such', async () => {
  await using dns = await startDns(() => null)
  using _time = startVirtualTime()
  const named = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
  const sample = await shownSample(
    probePort(targetOf({ host: 'db.test', port: 1, timeoutMs: 200 }), { guard: named }, never),
  )
  const error = 'DNS lookup of db.test timed out after 200 ms'
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', error })
})

test('a private address that is not allowed is down', async () => {
  const strict = createGuard({ policy: 'deny' })
  const sample = await shownSample(probePort(targetOf({ host: '[::1]', port: 1 }), { guard: strict }, never))
  const error = '::1 is a private address, which this installation does not allow'
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'content', error })
})

test('a cancelled check is inconclusive', async () => {
  const sample = await shownSample(probePort(targetOf({ host: '127.0.0.1', port: 1 }), { guard }, AbortSignal.abort()))
  assert.deepEqual(sample, { outcome: 'inconclusive', reason: 'The check was cancelled' })
})
