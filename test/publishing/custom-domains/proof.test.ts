import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainFault, isReserved } from '../../../src/publishing/custom-domains/names.ts'
import {
  addressRecords,
  cnameProof,
  findingOf,
  newDomainToken,
  txtProof,
} from '../../../src/publishing/custom-domains/proof.ts'

const question = { domain: 'status.acme.example', token: 'abc', host: 'pharos.example' }
const none = { records: [] }
const failed = { error: 'no answer' }

test('either record proves the domain, whatever the other lookup says', () => {
  for (const other of [none, failed, { records: ['x'] }]) {
    assert.equal(findingOf(question, { records: ['spf', ' pharos-page=abc '] }, other).kind, 'proven')
    assert.equal(findingOf(question, other, { records: ['ABC.Pharos.example.'] }).kind, 'proven')
  }
})

test('the record of another page, part of a record or the host itself proves nothing', () => {
  for (const text of ['pharos-page=abcd', 'pharos-page=', 'abc', 'x pharos-page=abc', 'PHAROS-PAGE=abc']) {
    assert.equal(findingOf(question, { records: [text] }, none).kind, 'missing', text)
  }
  for (const name of ['pharos.example', 'abcd.pharos.example', 'abc.evil.example', 'abc.pharos.example.evil.example']) {
    assert.equal(findingOf(question, none, { records: [name] }).kind, 'missing', name)
  }
})

test('a proof is missing only if both lookups were answered', () => {
  assert.deepEqual(findingOf(question, none, none), { kind: 'missing', found: [] })
  assert.deepEqual(findingOf(question, failed, none), { kind: 'unknown', reason: 'no answer' })
  assert.deepEqual(findingOf(question, none, failed), { kind: 'unknown', reason: 'no answer' })
})

test('what was found instead is kept in part', () => {
  const finding = findingOf(question, { records: new Array(20).fill('x'.repeat(1000)) }, { records: ['a.example'] })
  assert.ok(finding.kind === 'missing')
  assert.equal(finding.found.length, 5)
  assert.ok(finding.found.every((text) => text.length <= 200))
})

test('the records fit the host of the installation', () => {
  assert.deepEqual(txtProof('a.example', 't'), {
    type: 'TXT',
    name: '_pharos-verify.a.example',
    value: 'pharos-page=t',
  })
  assert.equal(cnameProof('a.example', 't', 'pharos.example')?.value, 't.pharos.example')
  for (const host of ['192.0.2.1', '2001:db8::1', 'localhost']) assert.equal(cnameProof('a.example', 't', host), null)
  assert.deepEqual(addressRecords('a.example', '192.0.2.1'), [{ type: 'A', name: 'a.example', value: '192.0.2.1' }])
  assert.equal(addressRecords('a.example', '2001:db8::1')[0]?.type, 'AAAA')
  assert.deepEqual(addressRecords('a.example', 'localhost'), [])
})

test('tokens are DNS labels and differ', () => {
  const tokens = new Set(Array.from({ length: 100 }, newDomainToken))
  assert.equal(tokens.size, 100)
  for (const token of tokens) assert.match(token, /^[0-9a-f]{32}$/)
})

test('the host of the installation and all names below it are reserved', () => {
  for (const baseUrl of ['https://pharos.example', 'https://PHAROS.example:8443/path', 'https://pharos.example.']) {
    for (const domain of ['pharos.example', 'www.pharos.example', 'a.b.pharos.example']) {
      assert.ok(isReserved(domain, baseUrl), `${domain} on ${baseUrl}`)
    }
    for (const domain of ['example', 'notpharos.example', 'pharos.example.com']) {
      assert.ok(!isReserved(domain, baseUrl), `${domain} on ${baseUrl}`)
    }
  }
  assert.ok(!isReserved('a.example', 'http://192.0.2.1'))
  assert.match(domainFault('www.pharos.example', 'https://pharos.example') ?? '', /must not be below pharos\.example/)
})
