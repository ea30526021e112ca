import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Assertion } from '../../../../src/contract/check-options.ts'
import { evaluateAssertions } from '../../../../src/monitoring/monitor-types/assertions/evaluate.ts'
import { inEnglish } from '../../../support/reasons.ts'

const MIB = 1024 * 1024

/** What the loaded machines of the tests may add to the 50 ms that one step may block a thread. */
const MAX_BLOCKED_MS = 150

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1000
}

/** Evaluates while another task wants to run, and measures the CPU time between its turns. */
async function evaluate(assertions: readonly Omit<Assertion, 'severity'>[], text: string) {
  let isDone = false
  let blockedMs = 0
  const otherCheck = (async () => {
    while (!isDone) {
      const start = process.threadCpuUsage()
      await new Promise((resolve) => setImmediate(resolve))
      blockedMs = Math.max(blockedMs, cpuMs(start))
    }
  })()
  const all = assertions.map((assertion): Assertion => ({ ...assertion, severity: 'DOWN' }))
  const results = await evaluateAssertions({ assertions: all }, { responseMs: 1, body: { text, isCut: false } })
  isDone = true
  await otherCheck
  return { blockedMs, errors: results.map(({ error }) => (error === undefined ? null : inEnglish(error))) }
}

/** Without a period, so that an automaton needs a new state for each of them. */
let seed = 1
const letters = Array.from({ length: MIB }, () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return seed & 0x10000 ? 'a' : 'b'
}).join('')

test('a hostile pattern ends within its budget', async () => {
  for (const value of [
    '(a+)+$c',
    'a[ab]{20}[c-z]',
    '(?:a.{100}|b.{101})[c-z]',
    '(?:.{0,120}[ab]){4}[c-z]',
    '(?:a?){200}a{200}[c-z]',
    '(?s)(.*)(.*)(.*)(.*)[c-z]',
  ]) {
    const { blockedMs, errors } = await evaluate([{ source: 'BODY', operator: 'MATCHES', value }], letters)
    assert.match(errors[0] ?? '', /too long on this text|expected it to match/, value)
    assert.ok(blockedMs < MAX_BLOCKED_MS, `${value}: ${blockedMs} ms`)
  }
})

test('twenty hostile patterns share one budget, and other checks run between them', async () => {
  const patterns = Array.from({ length: 20 }, (_, i) => `(?:a.{${90 + i}}|b.{101})[c-z]`)
  const start = process.threadCpuUsage()
  const { blockedMs, errors } = await evaluate(
    patterns.map((value) => ({ source: 'BODY', operator: 'MATCHES', value })),
    letters,
  )
  assert.ok(blockedMs < MAX_BLOCKED_MS, `${blockedMs} ms`)
  assert.ok(cpuMs(start) < 1_000)
  assert.equal(errors.at(0), 'Body cannot be checked: the pattern takes too long on this text')
  assert.equal(errors.at(-1), 'Body cannot be checked: the assertions before it took too long')
})

test('a hostile path or document ends within its budget', async () => {
  const list = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`
  const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
  const keys = `{${Array.from({ length: 39_000 }, (_, i) => `"k${(i * 7919) % 100_003}":1`).join(',')}}`
  const shapes = `[${Array.from({ length: 26_000 }, (_, i) => `{"k${i}":1}`).join(',')}]`
  const big = list('{"a":[1,2,3]}', 10_000)
  const cases: readonly (readonly [path: string, document: string, error: RegExp])[] = [
    ['$..*..*..*', big, /visits more than 200000 values$/],
    ['$..[?@..[?@ == $]]', big, /visits more than 200000 values$/],
    ['$[?$[?$[?@ == $[0]]]]', list(list('1', 300), 200), /visits more than 200000 values$/],
    ["$..[?search(@, '(?:a.{100}|b.{101})[c-z]')]", JSON.stringify([letters.slice(0, MIB / 2)]), /takes too long/],
    [
      "$[?match(@, '(?:[ab]?){30}[ab]{30}[c-z]')]",
      list(`"${letters.slice(0, 60)}"`, 15_000),
      /takes too long|does not exist/,
    ],
    ['$..a', nested('[', ']', 39_000), /nested deeper than 200 levels$/],
    ['$..a', nested('{"a":', '}', 39_000), /nested deeper than 200 levels$/],
    ['$..[?@ == $]', list(nested('[', ']', 300), 2), /nested deeper than 200 levels$/],
    ['$.a', nested('[', ']', 300_000), /more than 80000 JSON values and keys$/],
    ['$..a', list('1', 500_000), /more than 80000 JSON values and keys$/],
    ['$..x', keys, /does not exist$/],
    ['$..x', shapes, /does not exist$/],
    ['$[*]', list('1', 79_000), /in 79000 of 79000 places/],
  ]
  for (const [path, document, error] of cases) {
    const operator = path === '$[*]' ? 'NOT_EXISTS' : 'EXISTS'
    const { blockedMs, errors } = await evaluate([{ source: 'JSON', path, operator }], document)
    assert.match(errors[0] ?? '', error, path)
    assert.ok(blockedMs < MAX_BLOCKED_MS, `${path}: ${blockedMs} ms`)
  }
})
