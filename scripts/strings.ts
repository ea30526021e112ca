/**
 * Lists the texts that people read, with file and line, to be proofread:
 *   npm run strings                    all of them
 *   npm run strings -- cli dashboard   those of some areas
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textsOfDashboard } from './translations/catalogue.ts'

interface Found {
  readonly place: string
  readonly text: string
}

const root = join(import.meta.dirname, '..')

const areas: Readonly<Record<string, () => readonly Found[]>> = {
  dashboard: () => [...textsOfDashboard()].map(([text, { places }]) => ({ place: `dashboard/src/${places[0]}`, text })),
  'status pages': () => literalsIn(['src/publishing/public-site/languages/en.ts'], /\p{L}/u),
  alerts: () => literalsIn(['src/notifications/contacts/**/*.ts', 'src/monitoring/monitor-types/**/*.ts'], sentence),
  mails: () =>
    literalsIn(
      ['src/accounts/**/*mail*.ts', 'src/outbound/email*.ts', 'src/publishing/public-site/emails/*.ts'],
      sentence,
    ),
  api: () =>
    literalsIn(
      ['src/accounts/**/*.ts', 'src/monitoring/**/*.ts', 'src/publishing/**/*.ts', 'src/server/api/*.ts'],
      sentence,
      /ApiError\(|message:/,
    ),
  cli: () => literalsIn(['src/cli/**/*.ts'], sentence),
}

/** Two words or more that begin like a sentence. */
const sentence = /^["'`]?\p{Lu}[\p{L}’'-]*[ ,:].*\p{L}/u

/** String literals that match, outside comments and imports; `line` restricts them to lines that match. */
function literalsIn(patterns: readonly string[], text: RegExp, line = /./): readonly Found[] {
  return globSync([...patterns], { cwd: root })
    .sort()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((code, i) => {
          if (/^\s*(?:\/?\*|\/\/|import )/.test(code) || !line.test(code)) return []
          const literals = [...code.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([found]) =>
            found.slice(1, -1),
          )
          return literals
            .filter((found) => text.test(found))
            .map((found) => ({ place: `${file}:${i + 1}`, text: found }))
        }),
    )
}

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !(name in areas))
if (unknown !== undefined) {
  process.stderr.write(`Unknown area ${unknown}; choose from: ${Object.keys(areas).join(', ')}\n`)
  process.exit(2)
}
for (const [name, find] of Object.entries(areas)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const found = find()
  process.stdout.write(`\n# ${name}: ${found.length} texts\n`)
  for (const { place, text } of found) process.stdout.write(`${place}\t${text}\n`)
}
