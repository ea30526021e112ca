import http, { type ServerResponse } from 'node:http'
import net from 'node:net'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { createGuard, type Guard } from '../../src/outbound/guard.ts'
import { dnsResolver } from '../../src/outbound/name-resolver.ts'
import { type Listener, listen, NXDOMAIN, startDns } from './fixtures.ts'

/** Hosts of URLs, and of PORT monitors, that lead to this machine or to its network. */
export const LITERALS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.8.9.10',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.1',
  '017700000001',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.1',
  '0',
  '0.0.0.0',
  '0x0',
  '0.0.0.1',
  'localhost',
  'LocalHost',
  'localhost.',
  'canary.localhost',
  'a.b.c.localhost.',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[100::1]',
  '[2001:10::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[4000::1]',
  '169.254.169.254',
  '0xa9fea9fe',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '100.64.0.1',
]

/** What the DNS server of an attacker may answer: addresses, IPv4 and IPv6 together. */
export const NAMES: Record<string, readonly string[]> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'unspecified.test': ['0.0.0.0'],
  'unspecified6.test': ['::'],
  'last.test': ['8.8.8.8', '8.8.4.4', '127.0.0.1'],
  'first.test': ['127.0.0.1', '8.8.8.8'],
  'hidden6.test': ['8.8.8.8', '::1'],
  'hidden4.test': ['2606:4700::1', '127.0.0.1'],
  'mapped.test': ['::ffff:7f00:1'],
  'compatible.test': ['::7f00:1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'sixtofour.test': ['2002:7f00:1::'],
  'teredo.test': ['2001:0:4136:e378:8000:63bf:80ff:fffe'],
  'metadata.test': ['169.254.169.254'],
  'metadata6.test': ['fd00:ec2::254'],
  'private.test': ['10.0.0.1'],
  'cgnat.test': ['100.64.0.1'],
  'linklocal.test': ['fe80::1'],
  'multicast.test': ['224.0.0.1'],
  'metadata.internal': ['169.254.169.254'],
}

export const answerFrom = (names: Record<string, readonly string[]>) => (name: string, type: string) => {
  const records = names[name]?.filter((address) => net.isIP(address) === (type === 'A' ? 4 : 6))
  return records === undefined ? NXDOMAIN : { records }
}

/** The networks that the guard of a moving name permits. Other systems than Linux have only 127.0.0.1. */
export const policy = parseAddressPolicy('127.0.0.2,127.0.0.3')
export const withoutLoopbacks = process.platform !== 'linux' && 'needs 127.0.0.2'

export interface MovingName extends AsyncDisposable {
  /** What it resolves to. */
  addresses: readonly string[]
  readonly url: string
  readonly guard: Guard
  readonly friend: Listener
  readonly canary: Listener
}

/** A name that leads to a friendly server on 127.0.0.2 at first, with a canary on the same port of another address. */
export async function startMovingName(
  answer: (response: ServerResponse, name: MovingName) => void,
  other = '127.0.0.1',
): Promise<MovingName> {
  const stack = new AsyncDisposableStack()
  const friend = stack.use(
    await listen(
      http.createServer((_request, response) => answer(response, name)),
      '127.0.0.2',
    ),
  )
  const canaryServer = http.createServer((_request, response) => response.end('canary'))
  const canary = stack.use(await listen(canaryServer, other, friend.port))
  const dns = stack.use(await startDns((_name, type) => (type === 'A' ? { records: name.addresses } : {})))
  const name: MovingName = {
    addresses: ['127.0.0.2'],
    url: `http://moves.test:${friend.port}/`,
    guard: createGuard({ policy, resolver: dnsResolver(dns.resolver) }),
    friend,
    canary,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return name
}
