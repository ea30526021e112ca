import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { webhookUrlProblem } from '../../src/outbound/urls.ts'

const PRIVATE_HOSTS = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  'a.localhost',
  'a.b.localhost.',
  'printer.local',
  'metadata.google.internal',
  'router.home.arpa',
  'nas.lan',
  'intranet',
  'metadata',
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.01',
  '０x7f.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0',
  '0.0.0.0',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '10.0.0.1',
  '192.168.1.1',
  '100.100.100.200',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fd00:ec2::254]',
  '[fe80::1]',
]

test('a webhook URL with a private host is refused, however it is written', () => {
  for (const host of PRIVATE_HOSTS) {
    assert.match(
      String(webhookUrlProblem(`https://${host}/hook`, 'deny')),
      /^must (not be a private address|have a public)/,
      host,
    )
    assert.match(
      String(webhookUrlProblem(`https://${host}:8443/`, 'deny')),
      /^must (not be a private address|have a public)/,
      host,
    )
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
