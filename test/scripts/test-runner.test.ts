import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parsePart, partOf } from '../../scripts/test/files.ts'
import type { FileReport } from '../../scripts/test/messages.ts'
import { runFiles } from '../../scripts/test/shards.ts'
import { summary } from '../../scripts/test/summary.ts'

const files = {
  'passes.test.ts': `test('one', () => {}); describe('a suite', () => { test('two', (t) => t.diagnostic('seed 7')) })`,
  'fails.test.ts': `describe('a suite', () => { test('breaks', () => { throw new Error('broken on purpose') }) })`,
  'empty.test.ts': ``,
  'throws.test.ts': `throw new Error('not even loaded')`,
  'exits.test.ts': `test('ends the process', () => process.exit(0))`,
  'leaks.test.ts': `import { createServer } from 'node:net'
    test('leaves a server behind', () => { createServer().listen(0) })`,
  'late.test.ts': `test('fails late', () => { setTimeout(() => { throw new Error('too late') }, 50) })`,
  'aside.test.ts': `test('passes', async () => {
      void (async () => { await null; throw new Error('rejected aside') })()
      await new Promise((resolve) => setTimeout(resolve, 50))
    })`,
  'state.test.ts': `test('sees a global', () => { globalThis.shared = (globalThis.shared ?? 0) + 1 })`,
  'own.isolated.test.ts': `test('has a process of its own', () => { if (globalThis.shared) throw new Error('shared') })`,
} as const

type Name = keyof typeof files

test('the parts of a run are as many as asked for, hold each file once, and share the slow ones', () => {
  const names = Array.from({ length: 23 }, (_, i) => `test/${i % 4 === 0 ? 'crash' : 'other'}/${i}.long.test.ts`)
  const parts = [1, 2, 3, 4, 5].map((number) => partOf(names, { number, of: 5 }))
  assert.deepEqual(parts.flat().sort(), names.toSorted())
  for (const part of parts) {
    assert.ok(part.length === 4 || part.length === 5)
    assert.ok(part.filter((name) => name.includes('crash')).length <= 2)
  }
  assert.deepEqual(parsePart('2/5'), { number: 2, of: 5 })
  for (const text of ['', '0/5', '6/5', '2', '2/5/1', 'a/b']) assert.equal(parsePart(text), undefined)
})

describe('the test runner', () => {
  let folder: string
  before(() => {
    // Inside the project, where node:test finds no other configuration.
    mkdirSync('.cache', { recursive: true })
    folder = mkdtempSync('.cache/runner-')
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), `import { describe, test } from 'node:test'\nvoid describe, test\n${text}\n`)
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const run = async (names: readonly Name[], namePatterns: readonly string[] = []): Promise<FileReport[]> => {
    const reports: FileReport[] = []
    await runFiles(
      names.map((name) => join(folder, name)),
      {
        workers: 1,
        namePatterns,
        skipPatterns: [],
        leakAfterMs: 500,
        signal: new AbortController().signal,
        onText: () => undefined,
        onFile: (report) => void reports.push(report),
      },
    )
    return reports
  }

  test('counts tests and suites, and keeps what tests say', async () => {
    const [report] = await run(['passes.test.ts'])
    assert.ok(report)
    const { tests, suites, passed, failed } = report.counts
    assert.deepEqual([report.isSuccess, tests, suites, passed, failed], [true, 2, 1, 2, 0])
    assert.deepEqual(report.notes, ['seed 7'])
  })

  test('a failure is reported with its suite and its error, and the next file runs', async () => {
    const [failed, next] = await run(['fails.test.ts', 'passes.test.ts'])
    assert.deepEqual([failed?.isSuccess, failed?.failures], [false, ['a suite > breaks']])
    assert.match(failed?.text ?? '', /broken on purpose/)
    assert.equal(next?.isSuccess, true)
  })

  test('a file without tests, or that cannot be loaded, fails', async () => {
    const [empty, throws] = await run(['empty.test.ts', 'throws.test.ts'])
    assert.deepEqual([empty?.isSuccess, empty?.failures], [false, ['the file has no test']])
    assert.equal(throws?.isSuccess, false)
    assert.match(throws?.text ?? '', /not even loaded/)
  })

  test('a worker that ends early fails its file, and another one goes on', async () => {
    const [exits, next] = await run(['exits.test.ts', 'passes.test.ts'])
    assert.equal(exits?.isSuccess, false)
    assert.match(exits?.failures[0] ?? '', /exits\.test\.ts: the worker ended early \(exit code 0\)/)
    assert.equal(next?.isSuccess, true)
    assert.match(summary([exits, next] as FileReport[], 1), /^ℹ tests 2\n.*\nℹ pass 2\nℹ fail 1$/m)
  })

  test('a file that leaves something open fails, with what it left', async () => {
    const [leaks, next] = await run(['leaks.test.ts', 'passes.test.ts'])
    assert.equal(leaks?.isSuccess, false)
    assert.match(leaks?.text ?? '', /leaks\.test\.ts leaves open after its last test: .*TCP/)
    assert.equal(next?.isSuccess, true)
  })

  test('an error after the last test fails the file', async () => {
    const [late] = await run(['late.test.ts'])
    assert.equal(late?.isSuccess, false)
    assert.match(late?.text ?? '', /too late/)
  })

  test('a rejection that nobody handles fails the file and is named, although its test passes', async () => {
    const [aside] = await run(['aside.test.ts'])
    assert.deepEqual([aside?.isSuccess, aside?.counts.passed], [false, 1])
    assert.match(aside?.failures[0] ?? '', /rejected aside/)
  })

  test('the summary names the files that passed only in a second run', async () => {
    const reports = await run(['passes.test.ts'])
    assert.doesNotMatch(summary(reports, 1), /passed alone/)
    const text = summary(reports, 1, ['test/faults/clocks.faults.test.ts'])
    assert.match(text, /^\nFailed at first, passed alone:\n! test\/faults\/clocks\.faults\.test\.ts\n\nTook/)
  })

  test('an isolated file shares its process with no other', async () => {
    const reports = await run(['state.test.ts', 'own.isolated.test.ts'])
    assert.deepEqual(
      reports.map(({ isSuccess }) => isSuccess),
      [true, true],
    )
  })

  test('only tests whose names match run; a file in which none does is no failure', async () => {
    const [some, none] = await run(['passes.test.ts', 'fails.test.ts'], ['one'])
    assert.deepEqual([some?.isSuccess, some?.counts.tests], [true, 1])
    assert.deepEqual([none?.isSuccess, none?.counts.tests], [true, 0])
  })
})
