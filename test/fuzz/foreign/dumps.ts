import fc from 'fast-check'
import { type SourceName, sourceNames } from '../../../src/importers/result.ts'
import { fixturesOf } from '../../importers/apply.ts'
import { mutatedText, someBytes } from '../attacks.ts'
import { mutatedJson } from './mutate-json.ts'
import { type CellChange, smallKuma, withCells } from './small-kuma.ts'

/** Files of another tool. Every character of a content is one byte. */
export interface DumpCase {
  readonly source: SourceName
  readonly files: readonly { readonly name: string; readonly content: string }[]
  /** Uploaded, or read by the reader alone, which takes a hundredth of the time. */
  readonly isUploaded: boolean
}

type Files = DumpCase['files']

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Lines of a text that are repeated, moved or left out, or that have another indentation. */
function changedLines(text: string): fc.Arbitrary<string> {
  const lines = text.split('\n')
  const change = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('repeat', 'move', 'leave out', 'indent', 'double'))
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
    const changed = [...lines]
    for (const [from, to, how] of changes) {
      const at = from % changed.length
      const line = changed[at] ?? ''
      if (how === 'repeat') changed.splice(at, 0, ...Array<string>(1 + (to % 500)).fill(line))
      else if (how === 'move') changed.splice(to % changed.length, 0, ...changed.splice(at, 1))
      else if (how === 'leave out') changed.splice(at, 1 + (to % 5))
      else if (how === 'indent') changed[at] = ' '.repeat(to % 9) + line.trimStart()
      else changed[at] = line + line
    }
    return changed.join('\n')
  })
}

/** One of the files is changed, or lost. */
function withOneChanged(files: Files, change: (content: string) => fc.Arbitrary<string>): fc.Arbitrary<Files> {
  const one = fc.nat({ max: files.length - 1 })
  const changed = one.chain((at) =>
    change((files[at] as Files[number]).content).map((content) =>
      files.map((file, i) => (i === at ? { ...file, content } : file)),
    ),
  )
  const lost = one.map((at) =>
    files.length === 1 ? [{ name: 'empty', content: '' }] : files.filter((_, i) => i !== at),
  )
  return fc.oneof({ arbitrary: changed, weight: 15 }, { arbitrary: lost, weight: 1 })
}

const changedJson = (content: string): fc.Arbitrary<string> =>
  fc.oneof(
    {
      arbitrary: mutatedJson(JSON.parse(Buffer.from(content, 'latin1').toString())).map((text) =>
        latin1(Buffer.from(text)),
      ),
      weight: 6,
    },
    { arbitrary: mutatedText([content]), weight: 3 },
    { arbitrary: changedLines(content), weight: 1 },
    { arbitrary: someBytes(200), weight: 1 },
  )

/** YAML that is small and becomes large, deep or circular. */
const aliases = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)
const hostileYaml = fc.constantFrom(
  ['a0: &a0 [x]', ...aliases, 'endpoints: *a9'].join('\n'),
  'endpoints: &e\n  - *e\n  - name: &n [*n]\n',
  `endpoints: ${'['.repeat(20_000)}`,
  `endpoints: ${'{a: '.repeat(5_000)}`,
  `endpoints:\n${'  - name: a\n    url: b\n    conditions: ["[STATUS] == 200"]\n'.repeat(3_000)}`,
  `${'? '.repeat(5_000)}a`,
  `endpoints: !!binary "${'A'.repeat(50_000)}"`,
  'endpoints:\n  - <<: {name: a, <<: {url: b}}\n    __proto__: {x: 1}\n',
  'endpoints:\n  - name: 0x10\n    url: 1e308\n    interval: 99999999999h\n    conditions: ["[BODY].a[99999] == pat(****************x)"]\n',
)

const changedYaml = (content: string): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: changedLines(content), weight: 4 },
    { arbitrary: mutatedText([content]), weight: 3 },
    { arbitrary: hostileYaml, weight: 2 },
  )

const odd: fc.Arbitrary<CellChange['value']> = fc.oneof(
  fc.constantFrom<CellChange['value'][]>(
    null,
    '',
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '\0',
    'a\ud800',
    '😀',
    '[]',
    '{',
    'null',
    '{"a":',
  ),
  fc.constantFrom(
    '["200-299","x-","-1","1-99999999999"]',
    '{"__proto__":1}',
    '9999-99-99 99:99',
    'Etc/Nowhere',
    '* * * * * *',
    '%s',
  ),
  fc.constantFrom(
    'x'.repeat(100_000),
    '['.repeat(10_000),
    'http://[',
    'smtp://\u0000',
    '0 0 31 2 *',
    '[{"hours":1e9,"minutes":-1}]',
  ),
  fc.uint8Array({ maxLength: 20 }),
)

const cells = fc.array(fc.record({ table: fc.nat(), column: fc.nat(), row: fc.nat(), value: odd }), {
  minLength: 1,
  maxLength: 8,
})

const changedDatabase = fc.tuple(fc.boolean(), cells).map(([isOld, changes]) => {
  return latin1(withCells(smallKuma().databases[isOld ? 0 : 1] as Buffer, changes))
})

/** Changed after the beginning, which every SQLite file has. */
const brokenDatabase = fc.boolean().chain((isOld) => {
  const bytes = latin1(smallKuma().databases[isOld ? 0 : 1] as Buffer)
  const start = fc.constantFrom(0, 16, 100, 4_096)
  return start.chain((at) => mutatedText([bytes.slice(at)]).map((rest) => bytes.slice(0, at) + rest))
})

const kumaFile =
  (name: string) =>
  (content: string): Files => [{ name, content }]
const kuma: fc.Arbitrary<Files> = fc.oneof(
  { arbitrary: changedDatabase.map(kumaFile('kuma.db')), weight: 4 },
  { arbitrary: brokenDatabase.map(kumaFile('kuma.db')), weight: 3 },
  {
    arbitrary: fc
      .constant(0)
      .chain(() => fc.oneof(changedLines(smallKuma().dump), mutatedText([smallKuma().dump])))
      .map(kumaFile('kuma.sql')),
    weight: 4,
  },
  {
    arbitrary: someBytes(500)
      .map((bytes) => `SQLite format 3\0${bytes}`)
      .map(kumaFile('kuma.db')),
    weight: 1,
  },
)

const filesOf = (tool: SourceName, prefix = ''): Files =>
  fixturesOf(tool, prefix).map(({ name, bytes }) => ({ name, content: latin1(bytes) }))

const changedFiles: Readonly<Record<SourceName, fc.Arbitrary<Files>>> = {
  kuma,
  gatus: withOneChanged(filesOf('gatus'), changedYaml),
  healthchecks: withOneChanged(filesOf('healthchecks'), changedJson),
  betterstack: withOneChanged(filesOf('betterstack'), changedJson),
  statuscake: withOneChanged(filesOf('statuscake'), changedJson),
  statuspage: withOneChanged(filesOf('statuspage'), changedJson),
  uptimerobot: fc.oneof(...['v2', 'v3'].map((version) => withOneChanged(filesOf('uptimerobot', version), changedJson))),
}

export const dumpCase: fc.Arbitrary<DumpCase> = fc.constantFrom(...sourceNames).chain((source) =>
  fc.record({
    source: fc.constant(source),
    files: changedFiles[source],
    isUploaded: fc.nat({ max: 9 }).map((n) => n === 0),
  }),
)
