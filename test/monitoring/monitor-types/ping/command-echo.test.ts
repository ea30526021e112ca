import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { howToAllowPing, readPingOutput } from '../../../../src/monitoring/monitor-types/ping/command-echo.ts'
import { createPinger } from '../../../../src/monitoring/monitor-types/ping/pinger.ts'
import { probePing } from '../../../../src/monitoring/monitor-types/ping/probe.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { never } from '../../../outbound/fixtures.ts'
import { inEnglish, type ShownSample, shownSample } from '../../../support/reasons.ts'
import { targetOf } from '../target.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-ping-'))
after(() => rmSync(folder, { recursive: true }))
const guard = createGuard({ policy: 'allow' })

/** Pings with a shell script, which records the arguments of each call. */
async function probeWith(script: string, timeoutMs = 60_000): Promise<{ sample: ShownSample; calls: string[] }> {
  const path = join(mkdtempSync(join(folder, 'way-')), 'ping')
  writeFileSync(path, `#!/bin/sh\necho "$@" >> ${path}.calls\n${script}\n`, { mode: 0o755 })
  using pinger = createPinger({ methods: ['command'], findCommand: () => path })
  const sample = await shownSample(probePing(targetOf({ host: '192.0.2.1', timeoutMs }), { guard, pinger }, never))
  return { sample, calls: readFileSync(`${path}.calls`, 'utf8').trim().split('\n') }
}

const reply = (ms: number) => `echo "64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=${ms} ms"`

test('the command is given a count and the address, and one reply is enough', async () => {
  const { sample, calls } = await probeWith(reply(12.4))
  assert.deepEqual(sample, { outcome: 'success', ip: '192.0.2.1', responseMs: 12 })
  assert.deepEqual(calls, ['-c 1 192.0.2.1'])
})

test('a command without a reply is run twice more, and all are killed when the timeout ends', async () => {
  // Each run appears in the list of calls before the next one is due, also on a busy machine.
  const { sample, calls } = await probeWith('exec sleep 60', 4000)
  const error = 'No reply to 3 pings within 4 s'
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })
  assert.equal(calls.length, 3)
})

test('a command that ends without a reply counts as no reply', async () => {
  const { sample, calls } = await probeWith('exit 1')
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', error: 'No reply to 3 pings' })
  assert.equal(calls.length, 3)
})

test('a reply to the third ping is enough', async () => {
  const { sample, calls } = await probeWith(`[ "$(wc -l < "$0.calls")" -ge 3 ] || exit 1\n${reply(5)}`)
  assert.partialDeepStrictEqual(sample, { outcome: 'success', responseMs: 5 })
  assert.equal(calls.length, 3)
})

test('an unreachable host is reported as such', async () => {
  const { sample } = await probeWith('echo "From 192.0.2.254 icmp_seq=1 Destination Host Unreachable"; exit 1')
  const error = 'Ping to 192.0.2.1 failed: host unreachable'
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'connection', error })
})

test('a command that reports an error or cannot be started is a local fault', async () => {
  const { sample } = await probeWith('echo "ping: socket: Operation not permitted" >&2; exit 2')
  const reason = `192.0.2.1 could not be pinged (ping: socket: Operation not permitted); ${inEnglish(howToAllowPing())}`
  assert.deepEqual(sample, { outcome: 'inconclusive', reason })
  using pinger = createPinger({ methods: ['command'], findCommand: () => join(folder, 'absent') })
  const absent = await shownSample(probePing(targetOf({ host: '192.0.2.1' }), { guard, pinger }, never))
  assert.ok(absent.outcome === 'inconclusive' && absent.reason.endsWith('could not be started (ENOENT)'))
})

test('only literal addresses become arguments', async () => {
  using pinger = createPinger()
  for (const text of ['-f', 'example.com', '127.0.0.1; reboot', '127.1', '']) {
    const result = await pinger.ping(text).settled
    assert.ok(result.outcome === 'not sent' && result.error.message === `"${text}" is not an address`)
  }
})

test('the output of all supported ping commands is parsed', () => {
  const outcomeOf = (code: number, stdout: string) => {
    const result = readPingOutput({ code, stdout, stderr: '' }, 'x')
    return result.outcome === 'reply' ? result.rttMs : result.outcome
  }
  const none = '--- x ping statistics ---\n1 packets transmitted, 0 received, 100% packet loss, time 0ms\n'
  assert.equal(
    outcomeOf(0, 'PING x (x) 56(84) bytes of data.\n64 bytes from x: icmp_seq=1 ttl=64 time=0.029 ms\n'),
    0.029,
  )
  assert.equal(
    outcomeOf(0, '64 bytes from x: seq=0 ttl=64 time=0.031 ms\n\nround-trip min/avg/max = 0.031/0.031/0.031 ms'),
    0.031,
  )
  assert.equal(outcomeOf(0, '16 bytes from ::1, icmp_seq=0 hlim=64 time=0.120 ms\n'), 0.12)
  assert.equal(outcomeOf(0, 'Reply from x: bytes=32 time<1ms TTL=128\r\n    Minimum = 7ms, Maximum = 7ms'), 1)
  assert.equal(outcomeOf(0, 'Antwort von x: Bytes=32 Zeit=14ms TTL=57\r\n'), 14)
  assert.equal(outcomeOf(0, 'Ответ от x: число байт=32 время=14мс TTL=57\r\n'), 14)
  assert.equal(outcomeOf(0, 'Reply from 192.0.2.254: Destination host unreachable.\r\n'), 'unreachable')
  assert.equal(outcomeOf(0, 'Antwort von 192.0.2.254: Zielhost nicht erreichbar.\r\n'), 'no reply')
  assert.equal(
    outcomeOf(1, `From fd00::2 icmp_seq=1 Destination unreachable: Address unreachable\n${none}`),
    'unreachable',
  )
  assert.equal(outcomeOf(1, none), 'no reply')
  assert.equal(outcomeOf(2, '1 packets transmitted, 0 packets received, 100.0% packet loss\n'), 'no reply')
})
