import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Assertion } from '../../../../src/contract/check-options.ts'
import { assertionFaults } from '../../../../src/monitoring/monitor-types/assertions/faults.ts'

function faultOf(assertion: Omit<Assertion, 'severity'>): string | undefined {
  const [fault] = assertionFaults({ ...assertion, severity: 'DOWN' })
  return fault && `${fault.path} ${fault.message}`
}

const path = (text: string) => faultOf({ source: 'JSON', path: text, operator: 'EXISTS' })
const pattern = (value: string) => faultOf({ source: 'BODY', operator: 'MATCHES', value })

test('a path that is not valid is refused with its position', () => {
  assert.equal(path("$.a[?@.b == 'c']['d'][-1:]..e"), undefined)
  assert.equal(path('$.a['), 'path is not valid at character 5: unclosed bracketed selection')
  assert.equal(path('a.b'), "path is not valid at character 1: expected '$', found 'a'")
  assert.match(path('$[?@.a == ]') ?? '', /^path is not valid at character \d+: /)
  assert.match(path('$[?nosuch(@.a)]') ?? '', /^path is not valid at character \d+: .*nosuch/)
  assert.equal(
    path('$[?match(@.a, @.b)]'),
    'path is not valid at character 15: the pattern of match() must be a text in quotes',
  )
  assert.match(path("$[?search(@.a, 'x(')]") ?? '', /^path is not valid at character 17: missing closing \)/)
})

test('a pattern that is not valid or too large is refused with its position', () => {
  assert.equal(pattern('^v\\d+\\.(\\d+)'), undefined)
  assert.equal(pattern('ab[z-a]'), 'value is not valid at character 4: invalid character class range at "z-a"')
  assert.equal(pattern('x(?=y)'), 'value is not valid at character 2: invalid or unsupported Perl syntax at "(?="')
  assert.match(
    pattern('(?:[ab]{900}c){1}[ab]{900}') ?? '',
    /^value is not valid at character 1: the pattern is too large/,
  )
  assert.match(pattern('((a{100}){100}){100}') ?? '', /^value is not valid at character 1: the pattern is too large/)
  assert.match(pattern('a{3,2}') ?? '', /^value is not valid at character 2: invalid repeat count/)
  assert.match(
    path(`$[?search(@.a, 'x{300}') && search(@.b, 'x{300}')]`) ?? '',
    /^path is not valid at character 42: the pattern is too large/,
  )
})

test('operators and values that do not fit the source are refused', () => {
  assert.equal(
    faultOf({ source: 'STATUS', operator: 'MATCHES', value: '2..' }),
    'operator does not fit STATUS; use EQUALS, NOT_EQUALS, GREATER, LESS',
  )
  assert.equal(faultOf({ source: 'STATUS', operator: 'EQUALS', value: '200' }), 'value must be a number')
  assert.equal(
    faultOf({ source: 'RECORD', operator: 'GREATER', value: 1 }),
    'operator does not fit RECORD; use EQUALS, NOT_EQUALS, CONTAINS, NOT_CONTAINS, MATCHES',
  )
  assert.equal(
    faultOf({ source: 'HEADER', path: 'x', operator: 'EQUALS', value: true }),
    'value must be a text or a number; only JSON has other values',
  )
  assert.equal(faultOf({ source: 'JSON', path: '$', operator: 'EQUALS', value: null }), undefined)
})
