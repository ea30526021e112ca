import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compilePath } from '../../src/monitoring/monitor-types/assertions/json-path.ts'
import { useApi } from '../support/api.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { createMonitor, expectError, smallest } from '../support/monitors.ts'
import type { Answer, Client } from '../support/server.ts'
import { costlyPatterns, slowPatterns } from './large-patterns.ts'
import { MAX_SINGLE_TURN_MS } from './short-turns.ts'

const ASSERTIONS = 20
const STEPS = 10

const repeated = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
/** A different pattern for each `i`: the group has no effect. */
const variant = (pattern: string, i: number) => `${'(?)'.repeat(i)}${pattern}`

/** Bodies with as many patterns as fit. */
const assertionsOf = (pattern: string) => ({
  assertions: repeated(ASSERTIONS, (i) => {
    return { source: 'BODY', operator: 'MATCHES', value: variant(pattern, i).slice(0, 1_000) }
  }),
})
const dialogueOf = (pattern: string) => ({
  steps: repeated(STEPS, (i) => ({ expect: `/${variant(pattern, i).slice(0, 998)}/` })),
})
const documentOf = (pattern: string) => ({
  document: { version: 1, monitors: { shop: { ...smallest('HTTP'), ...assertionsOf(pattern) } } },
})
const withPaths = (path: (i: number) => string, value?: (i: number) => string) => ({
  assertions: repeated(ASSERTIONS, (i) => {
    const found = value === undefined ? { operator: 'EXISTS' } : { operator: 'MATCHES', value: value(i) }
    return { source: 'JSON', path: path(i), ...found }
  }),
})

describe('patterns that take long to compile', () => {
  const api = useApi('sqlite')
  let client: Client
  let reader: Client
  let putAssertions: (body: object) => Promise<Answer>
  let putDialogue: (body: object) => Promise<Answer>

  before(async () => {
    const tenant = await api.tenant()
    client = tenant.client
    reader = await tenant.reader()
    const { id: website } = await createMonitor(client, smallest('HTTP'))
    const { id: port } = await createMonitor(client, smallest('PORT'))
    putAssertions = (body) => client.send('PUT', `/monitors/${website}/assertions`, body)
    putDialogue = (body) => client.send('PUT', `/monitors/${port}/dialogue`, body)
    // Compiles the code first.
    for (const pattern of ['(a|b){300}', '(?i)[a-z]\\pL', '^a?b?$']) await putAssertions(assertionsOf(pattern))
  })

  async function requireShortTurns(name: string, send: () => Promise<Answer>): Promise<Answer> {
    const turns = measureTurns()
    const answer = await send()
    const longestMs = turns.stop()
    assert.ok(longestMs < MAX_SINGLE_TURN_MS, `${name}: ${longestMs} ms of CPU time in one turn`)
    return answer
  }

  async function requireRefusals(name: string, count: number, send: () => Promise<Answer>): Promise<void> {
    const answer = await requireShortTurns(name, send)
    expectError(answer, 'validation_error')
    const { details } = answer.body.error
    assert.equal(details.length, count)
    for (const { message } of details) assert.match(message, /the pattern is too large/)
  }

  for (const [name, pattern] of Object.entries(slowPatterns)) {
    test(`${name}: refused in short turns in assertions, dialogues and documents`, async () => {
      await requireRefusals('assertions', ASSERTIONS, () => putAssertions(assertionsOf(pattern)))
      await requireRefusals('dialogue', STEPS, () => putDialogue(dialogueOf(pattern)))
      const plan = () => reader.post('/configuration/plan', documentOf(pattern))
      await requireRefusals('plan', ASSERTIONS, plan)
      const options = { options: assertionsOf(pattern) }
      const trial = () =>
        client.post('/monitors/try', { ...smallest('HTTP'), options: { assertions: options.options } })
      await requireRefusals('test', ASSERTIONS, trial)
    })
  }

  test('patterns of JSONPath are refused together, before the first one that is too much is compiled', async () => {
    const one = 'x{0,1000}'.repeat(50)
    await requireRefusals('one', ASSERTIONS, () => putAssertions(withPaths((i) => `$[?search(@.a${i},"${one}")]`)))
    const many = (i: number) =>
      repeated(17, (j) => `search(@,"a{5${10 + j}}")`)
        .join('||')
        .concat(`&&@.a${i}`)
    await requireRefusals('many', ASSERTIONS, () => putAssertions(withPaths((i) => `$[?${many(i)}]`)))
  })

  test('the largest patterns that are accepted are compiled in short turns', async () => {
    const put = async (name: string, send: () => Promise<Answer>) =>
      assert.equal((await requireShortTurns(name, send)).status, 200, name)
    for (const [name, pattern] of Object.entries(costlyPatterns)) {
      const path = (i: number) => `$[?search(@.a${i},"a{${490 - i}}")]`
      await put(name, () => putAssertions(withPaths(path, (i) => variant(pattern, i))))
      await put(name, () => putDialogue(dialogueOf(pattern)))
    }
  })
})

test('paths do not keep their patterns in memory', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const usedMiB = () => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return (heapUsed + arrayBuffers) / 1024 ** 2
  }
  const before = usedMiB()
  // Kept because they are used again; each pattern takes 0.2 MiB.
  const paths = repeated(1_000, (i) => compilePath(`$[?search(@.a,'^${i}([a-z]|-){80}$')]`))
  const keptMiB = usedMiB() - before
  assert.equal(paths.length, 1_000)
  assert.ok(keptMiB < 60, `${keptMiB} MiB`)
})
