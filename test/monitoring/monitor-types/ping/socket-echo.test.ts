import assert from 'node:assert/strict'
import dgram from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { encodeRequest, parseMessage } from '../../../../src/monitoring/monitor-types/ping/icmp-packet.ts'
import type { Pinger } from '../../../../src/monitoring/monitor-types/ping/pinger.ts'
import { probePing } from '../../../../src/monitoring/monitor-types/ping/probe.ts'
import { echoOverSocket } from '../../../../src/monitoring/monitor-types/ping/socket-echo.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { never } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { type ShownSample, shownSample } from '../../../support/reasons.ts'
import { targetOf } from '../target.ts'

/** A ping that has arrived: which one of all, for whom, and its bytes. */
interface Arrived {
  readonly nth: number
  readonly address: string
  readonly request: Buffer
}

interface Hosts extends AsyncDisposable {
  readonly pinger: Pinger
  readonly arrived: readonly Arrived[]
  readonly broken: () => boolean
  readonly socket: dgram.Socket
}

/**
 * All hosts of the world behind one UDP socket, which says for each ping what comes back and when. ICMP has no ports, so
 * the one thing that differs from a real ICMP socket is where the packets are carried to.
 */
async function startHosts(
  answer: (ping: Arrived) => readonly (Buffer | { bytes: Buffer; afterMs: number })[],
  failing: Readonly<Record<string, (nth: number) => string | null>> = {},
): Promise<Hosts> {
  const [world, socket] = [dgram.createSocket('udp4'), dgram.createSocket('udp4')]
  for (const each of [world, socket]) await once(each.bind(0, '127.0.0.1'), 'listening')
  const arrived: Arrived[] = []
  const addresses = new Map<number, string>()
  world.on('message', (request, { port }) => {
    const ping = { nth: arrived.length + 1, address: addresses.get(request.readUInt16BE(6)) ?? '', request }
    arrived.push(ping)
    for (const back of answer(ping)) {
      const { bytes, afterMs } = Buffer.isBuffer(back) ? { bytes: back, afterMs: 0 } : back
      setTimeout(() => world.send(bytes, port, '127.0.0.1'), afterMs).unref()
    }
  })
  const send = socket.send.bind(socket)
  let sent = 0
  socket.send = ((bytes: Buffer, _port: number, address: string, done: (error: Error | null) => void) => {
    const code = failing[address]?.(++sent) ?? null
    if (code !== null) return process.nextTick(done, Object.assign(new Error(code), { code }))
    addresses.set(bytes.readUInt16BE(6), address)
    send(bytes, world.address().port, '127.0.0.1', done)
  }) as typeof socket.send
  let isBroken = false
  const echoer = echoOverSocket(socket, 4, () => {
    isBroken = true
  })
  const method = () => ({ ipv4: 'datagram', ipv6: 'none', sentence: '' }) as const
  return {
    pinger: { ping: echoer.ping, methods: method, [Symbol.dispose]: echoer.close },
    arrived,
    broken: () => isBroken,
    socket,
    async [Symbol.asyncDispose]() {
      echoer.close()
      await once(world.close(), 'close')
    },
  }
}

function probe({ pinger }: Hosts, addresses = ['192.0.2.1'], timeoutMs = 800): Promise<ShownSample> {
  const guard = createGuard({ policy: 'allow', resolver: async () => addresses })
  return shownSample(probePing(targetOf({ host: 'host.test', timeoutMs }), { guard, pinger }, never))
}

function replyTo({ request }: Arrived, change: (reply: Buffer) => void = () => {}): Buffer {
  const reply = Buffer.from(request)
  reply[0] = 0
  change(reply)
  return reply
}

/** An IPv4 packet to 192.0.2.1, or whom else. */
function packet(content: Buffer, to = [192, 0, 2, 1]): Buffer {
  return Buffer.concat([Buffer.from([0x45, 0, 0, 0, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, ...to]), content])
}

function unreachable(code: number, quoted: Buffer): Buffer {
  return Buffer.concat([Buffer.from([3, code, 0, 0, 0, 0, 0, 0]), quoted])
}

const noReply = (error: string) => ({ outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })

// Pings are repeated after 200 ms and more of virtual time; replies arrive within a turn of the event loop.
let time: Disposable
before(() => {
  time = startVirtualTime()
})
after(() => time[Symbol.dispose]())

describe('up', () => {
  test('three pings, and the mean of their replies', async () => {
    await using hosts = await startHosts((ping) => [{ bytes: replyTo(ping), afterMs: ping.nth * 30 }])
    const sample = await probe(hosts, ['192.0.2.1'], 4000)
    assert.partialDeepStrictEqual(sample, { outcome: 'success', ip: '192.0.2.1' })
    assert.ok(sample.outcome === 'success' && sample.responseMs !== undefined)
    assert.ok(sample.responseMs >= 60 && sample.responseMs < 100, `${sample.responseMs} ms`)
    assert.equal(hosts.arrived.length, 3)
  })

  test('one reply is enough, even the last', async () => {
    await using hosts = await startHosts((ping) => (ping.nth === 3 ? [replyTo(ping)] : []))
    assert.equal((await probe(hosts)).outcome, 'success')
  })

  test('a late reply counts, after further pings were sent', async () => {
    await using hosts = await startHosts((ping) => (ping.nth === 1 ? [{ bytes: replyTo(ping), afterMs: 500 }] : []))
    const sample = await probe(hosts)
    assert.ok(sample.outcome === 'success' && (sample.responseMs ?? 0) >= 495)
    assert.equal(hosts.arrived.length, 3)
  })

  test('a reply that includes its IPv4 header, and a duplicate one', async () => {
    await using hosts = await startHosts((ping) => [packet(replyTo(ping)), packet(replyTo(ping))])
    assert.equal((await probe(hosts)).outcome, 'success')
    assert.equal(hosts.arrived.length, 3)
  })

  test('of several addresses, the first that answers gets the remaining pings', async () => {
    await using hosts = await startHosts((ping) => (ping.address === '192.0.2.2' ? [replyTo(ping)] : []))
    const sample = await probe(hosts, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
    assert.partialDeepStrictEqual(sample, { outcome: 'success', ip: '192.0.2.2' })
    const asked = hosts.arrived.map(({ address }) => address)
    assert.deepEqual(asked, ['192.0.2.1', '192.0.2.2', '192.0.2.2'])
  })

  test('an address without a route does not count as a ping', async () => {
    await using hosts = await startHosts((ping) => (ping.nth === 3 ? [replyTo(ping)] : []), {
      '192.0.2.1': () => 'ENETUNREACH',
    })
    assert.partialDeepStrictEqual(await probe(hosts, ['192.0.2.1', '192.0.2.2']), {
      outcome: 'success',
      ip: '192.0.2.2',
    })
  })
})

describe('down', () => {
  test('no reply within the timeout', async () => {
    await using hosts = await startHosts(() => [])
    assert.partialDeepStrictEqual(await probe(hosts), noReply('No reply to 3 pings within 800 ms'))
    assert.equal(hosts.arrived.length, 3)
  })

  test('messages that do not match a ping are ignored', async () => {
    await using hosts = await startHosts((ping) => [
      replyTo(ping, (reply) => reply.writeUInt8((reply[8] as number) ^ 1, 8)),
      replyTo(ping, (reply) => reply.writeUInt16BE((reply.readUInt16BE(6) + 9) & 0xffff, 6)),
      replyTo(ping).subarray(0, 20),
      replyTo(ping, (reply) => reply.writeUInt8(13, 0)),
      ping.request,
      Buffer.alloc(0),
      Buffer.alloc(64, 0x4f),
      packet(unreachable(1, packet(ping.request, [192, 0, 2, 9]).subarray(0, 28))),
      packet(unreachable(4, packet(ping.request))),
    ])
    assert.partialDeepStrictEqual(await probe(hosts), noReply('No reply to 3 pings within 800 ms'))
  })

  test('a router reports an unreachable host, and quotes the ping in full or in part', async () => {
    for (const quoted of [64, 8]) {
      await using hosts = await startHosts(({ request }) => [
        packet(unreachable(1, packet(request.subarray(0, quoted))), [10, 0, 0, 1]),
      ])
      const error = 'Ping to 192.0.2.1 failed: host unreachable'
      const sample = await probe(hosts, ['192.0.2.1'], 10_000)
      assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'connection', error })
      assert.equal(hosts.arrived.length, 3)
    }
  })

  test('an address that the system refuses', async () => {
    await using hosts = await startHosts(() => [], { '192.0.2.1': () => 'EACCES' })
    const error = 'Ping to 192.0.2.1 failed: broadcast address, or not permitted'
    assert.partialDeepStrictEqual(await probe(hosts), { outcome: 'failure', code: 'CONNECT', error })
  })
})

describe('local faults', () => {
  test('a ping that could not be sent', async () => {
    for (const [code, reason] of [
      ['ENETUNREACH', 'This server has no route to 192.0.2.1'],
      ['EPERM', '192.0.2.1 could not be pinged (EPERM)'],
    ] as const) {
      await using hosts = await startHosts(() => [], { '192.0.2.1': () => code })
      assert.deepEqual(await probe(hosts), { outcome: 'inconclusive', reason })
    }
  })

  test('an address that could be pinged at first only', async () => {
    await using hosts = await startHosts(() => [], { '192.0.2.1': (nth) => (nth > 1 ? 'ENOBUFS' : null) })
    const reason = '192.0.2.1 could not be pinged (ENOBUFS)'
    assert.deepEqual(await probe(hosts), { outcome: 'inconclusive', reason })
  })

  test('a broken socket ends its pings and is replaced', async () => {
    await using hosts = await startHosts(() => [])
    setTimeout(() => hosts.socket.emit('error', Object.assign(new Error('x'), { code: 'ENETDOWN' })), 50)
    assert.deepEqual(await probe(hosts), { outcome: 'inconclusive', reason: 'The ICMP socket failed (ENETDOWN)' })
    assert.ok(hosts.broken())
  })

  test('cancelled pings free their sequence numbers', async () => {
    await using hosts = await startHosts((ping) => (ping.address === '192.0.2.1' ? [replyTo(ping)] : []))
    for (let i = 0; i < 40_000; i++) hosts.pinger.ping('192.0.2.9').cancel()
    assert.equal((await probe(hosts, ['192.0.2.1'], 4000)).outcome, 'success')
  })

  test('too many pending pings', async () => {
    await using hosts = await startHosts(() => [])
    const echoes = Array.from({ length: 16_385 }, () => hosts.pinger.ping('192.0.2.9'))
    const last = await echoes.pop()?.settled
    assert.ok(last?.outcome === 'not sent' && last.error.isLocalFault)
    for (const echo of echoes) echo.cancel()
  })
})

test('an IPv6 request, its reply and an unreachable message that quotes it', () => {
  const token = Buffer.alloc(16, 7)
  const request = encodeRequest(6, { id: 1, sequence: 2, token })
  assert.equal(request[0], 128)
  assert.equal(parseMessage(6, request), null)
  const reply = Buffer.from(request)
  reply[0] = 129
  assert.deepEqual(parseMessage(6, reply), { kind: 'reply', id: 1, sequence: 2, token })
  const refusal = Buffer.concat([Buffer.from([1, 3, 0, 0, 0, 0, 0, 0]), Buffer.alloc(40, 0x60), request])
  const quoted = { id: 1, sequence: 2, token }
  assert.deepEqual(parseMessage(6, refusal), { kind: 'unreachable', reason: 'ping_host_unreachable', to: null, quoted })
})

test('the checksum is that of RFC 1071', () => {
  const request = encodeRequest(4, { id: 0xffff, sequence: 0xfffe, token: Buffer.alloc(16, 0xff) })
  let sum = 0
  for (let at = 0; at < request.length; at += 2) sum += request.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  assert.equal(sum, 0xffff)
})
