/**
 * Part of `npm run lint`: finds readers of foreign text on the main thread (docs/decisions/0026-foreign-text.md). A file that may use one is
 * listed with the reason.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Rule {
  readonly form: RegExp
  readonly instead: string
  /** Files, or folders with a slash at the end. */
  readonly allowed: Readonly<Record<string, string>>
}

const THREAD = 'runs in a thread or process of its own'
const COMMAND = 'runs in a command, not in the server'
const OWN = 'made of texts of Pharos itself'
const PROBE = 'runs in a probe thread'

const rules: readonly Rule[] = [
  {
    form: /\bJSON\.parse\b/,
    instead: 'parseStored for what this server wrote, parseShort for up to 64 KiB, or a ForeignTask',
    allowed: {
      'src/lib/json.ts': 'parseStored and parseShort',
      'src/lib/write-yaml.ts': THREAD,
      'src/contract/json-body.ts': 'up to 64 KiB, or in a thread; counted before',
      'src/contract/json-bounds.ts': 'one name, for a fault',
      'src/monitoring/monitor-types/': PROBE,
      'src/monitoring/probes/': 'jobs and samples, in batches',
      'src/importers/': THREAD,
      'src/shadow-runs/tools/': THREAD,
      'src/cli/': COMMAND,
      'src/discovery/': COMMAND,
      'src/server/operations/': OWN,
      'src/server/api/open-document.ts': OWN,
      'src/server/server.ts': OWN,
    },
  },
  {
    form: /\b(?:gunzip|gzip|inflate|inflateRaw|deflate|deflateRaw|unzip|brotliCompress|brotliDecompress)Sync\b/,
    instead: 'the functions that run in the thread pool, sealLine and openLine, or a ForeignTask',
    allowed: {
      'src/storage/sealed-lines.ts': 'lines of 64 KiB, or of one resource',
      'src/contract/json-body.ts': THREAD,
    },
  },
  {
    form: /\bnew RegExp\((?!(?:patterns\.\w+|[A-Z_]+)\))/,
    instead: 'a constant pattern, or compilePattern, which measures a pattern before it compiles it',
    allowed: {
      'src/lib/text.ts': OWN,
      'src/outbound/email-subject.ts': OWN,
      'src/outbound/retry-after.ts': OWN,
      'src/notifications/contacts/settings.ts': 'the form of a channel setting',
      'src/publishing/public-site/export.ts': 'of our own pages, with what is foreign escaped',
      'src/server/api/paths.ts': OWN,
      'src/monitoring/monitor-types/': PROBE,
      'src/importers/': THREAD,
      'src/cli/': COMMAND,
    },
  },
  {
    form: /\bfrom 'yaml'/,
    instead: 'JSON; YAML is read by commands',
    allowed: { 'src/cli/': COMMAND, 'src/discovery/': COMMAND, 'src/importers/gatus/': THREAD },
  },
]

const root = join(import.meta.dirname, '..')
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts'))
const isIn = (place: string, file: string): boolean => (place.endsWith('/') ? file.startsWith(place) : file === place)

let faults = 0
for (const file of files) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  for (const { form, instead, allowed } of rules) {
    if (Object.keys(allowed).some((place) => isIn(place, file))) continue
    for (const [i, line] of lines.entries()) {
      if (!form.test(line) || /^\s*(?:\/\/|\*|\/\*)/.test(line)) continue
      faults += 1
      process.stderr.write(`${file}:${i + 1} ${line.trim()}\n  Use ${instead}.\n`)
    }
  }
}
// A place that has nothing any more leaves the list.
for (const { form, allowed } of rules) {
  for (const place of Object.keys(allowed)) {
    if (files.some((file) => isIn(place, file) && form.test(readFileSync(join(root, file), 'utf8')))) continue
    faults += 1
    process.stderr.write(`scripts/foreign-text.ts lists ${place}, which has no ${form.source}\n`)
  }
}
process.exitCode = faults === 0 ? 0 : 1
