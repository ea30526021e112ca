import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { webhookUrlProblem } from '../../src/outbound/urls.ts'
import { LITERALS } from './private-hosts.ts'

/** Names that exist only inside one network, and more ways to write an address. */
const PRIVATE_HOSTS = [
  ...[
    'localhost..',
    'printer.local',
    'metadata.google.internal',
    'router.home.arpa',
    'nas.lan',
    'intranet',
    'metadata',
  ],
  ...['0x7f.0.0.1', '0177.0.0.01', '０x7f.1', '2852039166', ...LITERALS],
]

test('a webhook URL with a private host is refused, however it is written', () => {
  for (const host of PRIVATE_HOSTS) {
    for (const url of [`https://${host}/hook`, `https://${host}:8443/`]) {
      assert.match(String(webhookUrlProblem(url, 'deny')), /^must (not be a private address|have a public)/, url)
    }
  }
})

test('a webhook URL without https, or with credentials, is refused', () => {
  assert.equal(webhookUrlProblem('http://example.com/', 'deny'), 'must begin with https://')
  assert.equal(webhookUrlProblem('ftp://example.com/', 'allow'), 'must begin with https:// or http://')
  for (const url of ['https://[fe80::1%25eth0]/', 'https://', 'example.com', 'https://a b/', 'https://1.2.3.4.5/']) {
    assert.equal(webhookUrlProblem(url, 'deny'), 'is not a valid URL', url)
  }
  for (const url of ['https://me@example.com/', 'https://:pw@example.com/', 'https://example.com@127.0.0.1/']) {
    assert.equal(webhookUrlProblem(url, 'allow'), 'must not contain a user name or password', url)
  }
})

test('public hosts pass', () => {
  for (const host of [
    'example.com',
    'example.com.',
    'hooks.example.co.uk:8443',
    '8.8.8.8',
    '[2606:4700::1111]',
    'bücher.de',
  ]) {
    assert.equal(webhookUrlProblem(`https://${host}/hook?x=1#y`, 'deny'), null, host)
  }
})

test('the operator may allow private networks', () => {
  assert.equal(webhookUrlProblem('http://localhost:8080/', 'allow'), null)
  const listed = parseAddressPolicy('10.0.0.0/8')
  assert.equal(webhookUrlProblem('https://10.1.2.3/', listed), null)
  assert.equal(webhookUrlProblem('https://hooks.internal/', listed), null)
  assert.match(String(webhookUrlProblem('https://192.168.0.1/', listed)), /private address/)
  assert.match(String(webhookUrlProblem('https://localhost/', listed)), /private address/)
  assert.equal(webhookUrlProblem('https://localhost/', parseAddressPolicy('127.0.0.0/8,::1')), null)
  assert.equal(webhookUrlProblem('http://10.1.2.3/', listed), 'must begin with https://')
})
