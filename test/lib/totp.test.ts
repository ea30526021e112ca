import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, findTotpStep, totpCode, totpStep, totpUri } from '../../src/lib/totp.ts'

const secret = Buffer.from('12345678901234567890')

test('codes match RFC 6238', () => {
  // Appendix B lists eight digits; ours are the last six.
  const vectors = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const
  for (const [seconds, eight] of vectors) assert.equal(totpCode(secret, totpStep(seconds * 1000)), eight.slice(2))
})

test('codes match the HOTP vectors of RFC 4226', () => {
  const expected = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
  assert.deepEqual(
    expected.map((_, count) => totpCode(secret, count)),
    expected,
  )
})

test('a code is accepted one step early or late', () => {
  const now = 1_700_000_010_000
  const step = totpStep(now)
  const found = [-2, -1, 0, 1, 2].map((drift) => findTotpStep(totpCode(secret, step + drift), secret, now, 0))
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined])
})

test('a code of a used or earlier step is refused', () => {
  const now = 1_700_000_010_000
  const step = totpStep(now)
  const found = [-1, 0, 1].map((drift) => findTotpStep(totpCode(secret, step + drift), secret, now, step))
  assert.deepEqual(found, [undefined, undefined, step + 1])
})

test('only six digits are a code', () => {
  const now = 1_700_000_010_000
  const code = totpCode(secret, totpStep(now))
  for (const other of ['', code.slice(0, 5), `${code}0`, ` ${code}`, '\u{1f600}']) {
    assert.equal(findTotpStep(other, secret, now, 0), undefined, other)
  }
})

test('base32 matches RFC 4648, without padding', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  }
  for (const [plain, text] of Object.entries(vectors)) assert.equal(base32(Buffer.from(plain)), text)
  assert.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

test('the URI contains issuer and account', () => {
  assert.equal(
    totpUri(secret, 'Pharos a.example', 'ada+x@example.com'),
    'otpauth://totp/Pharos%20a.example:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' +
      '&issuer=Pharos%20a.example&algorithm=SHA1&digits=6&period=30',
  )
})
