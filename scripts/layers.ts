/** The architecture, checked: imports point one way, files stay small, the environment is read in one place. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { blank } from './blank.ts'

const nouns = [
  'monitors',
  'incidents',
  'statuspages',
  'publishedincidents',
  'subscribers',
  'maintenance',
  'webhooks',
  'contacts',
  'checks',
  'organizations',
  'keys',
  'users',
  'sessions',
  'factors',
  'identities',
  'members',
  'plans',
]

/** The folders of src from the top down: a folder may import from every layer below its own. */
const layers = [
  ['cli'],
  ['app'],
  ['pages'],
  ['operations'],
  nouns,
  ['contract'],
  ['events', 'probes', 'outbound'],
  ['storage'],
  ['lib'],
]

/** Imports between two folders of one layer that are allowed all the same. */
const neighbours: Readonly<Record<string, readonly string[]>> = { probes: ['outbound'] }

/** The files through which nouns reach each other: what they know, never what they do. */
const shownToNouns = [
  'queries.ts',
  'schema.ts',
  'plans.ts',
  'render.ts',
  'types.ts',
  'standing.ts',
  'memory.ts',
  'due.ts',
]

/** Folders that are plain facts and import nothing. */
const selfContained = ['plans']

const environmentReader = 'src/cli/environment.ts'
const mostLines = 300

interface Violation {
  readonly file: string
  readonly line: number
  readonly message: string
}

interface Import {
  readonly specifier: string
  /** The imported file, from the root; null for a package. */
  readonly target: string | null
  readonly line: number
}

interface Source {
  readonly file: string
  readonly lines: number
  /** Without comments and without what strings say. */
  readonly code: string
  readonly imports: readonly Import[]
}

/** Every breach of the rules in the tree at `root`, as `file:line message`. */
export function violations(root: string): string[] {
  const files = globSync('{src,test,bench,scripts,dashboard}/**/*.{ts,tsx,js,mjs}', { cwd: root }).map(slashed).sort()
  const sources = files
    .filter((file) => !/(^|\/)(node_modules|generated|dist)\//.test(file))
    .map((file) => read(root, file))
  const found = [
    ...sources.flatMap(tooLong),
    ...sources.filter((source) => source.file.startsWith('src/')).flatMap(inSrc),
    ...circles(sources),
  ]
  found.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  return found.map(({ file, line, message }) => `${file}:${line} ${message}`)
}

function inSrc(source: Source): Violation[] {
  const folder = folderOf(source.file)
  if (folder === null) return [{ file: source.file, line: 1, message: 'a file of src belongs in one of its folders' }]
  if (layerOf(folder) === -1) {
    const message = `src/${folder} is unknown: declare it in the table of layers at the top of scripts/layers.ts`
    return [{ file: source.file, line: 1, message }]
  }
  const badImports = source.imports.flatMap((imported) => {
    const message = refusal(folder, imported)
    return message === null ? [] : [{ file: source.file, line: imported.line, message }]
  })
  return [...badImports, ...environment(source), ...consoles(source, folder)]
}

/** Why a file of `folder` may not have this import, or null when it may. */
function refusal(folder: string, { specifier, target }: Import): string | null {
  const there = target === null ? null : folderOf(target)
  if (there === folder) return null
  if (selfContained.includes(folder)) return `${folder} imports nothing, but imports ${specifier}`
  if (target === null) return null
  if (!target.startsWith('src/')) return /\.[jt]sx?$/.test(target) ? `src imports nothing from ${target}` : null
  if (there === null) return `a file of src belongs in one of its folders, which ${specifier} does not`
  const [from, to] = [layerOf(folder), layerOf(there)]
  // An unknown folder is complained of once, at the folder itself.
  if (to > from || to === -1) return null
  if (to < from) return `${folder} is below ${there} and may not import it`
  if (neighbours[folder]?.includes(there)) return null
  if (!nouns.includes(folder)) return `${folder} stands beside ${there} and may not import it`
  if (shownToNouns.includes(basename(target))) return null
  return `${folder} reaches ${there} through ${shownToNouns.join(', ')} alone, not through ${basename(target)}`
}

function environment(source: Source): Violation[] {
  if (source.file === environmentReader) return []
  const message = `the environment is read in ${environmentReader} alone`
  // Also process['env'] and const { env } = process, which a search for the plain spelling would miss.
  const named = /\bprocess\s*(?:(?:\?\.|\.)\s*env\b|(?:\?\.\s*)?\[)|\benv\b[^{}=]*\}\s*=\s*process\b(?!\s*[.?])/g
  return [
    ...places(source, named, message),
    ...source.imports
      .filter(({ specifier }) => /^(node:)?process$/.test(specifier))
      .map(({ line }) => ({ file: source.file, line, message: `${message}: use the global process instead` })),
  ]
}

function consoles(source: Source, folder: string): Violation[] {
  if (folder === 'cli') return []
  return places(source, /\bconsole\s*(?:\?\.|\.)/g, 'only src/cli writes to the console; log instead')
}

function tooLong({ file, lines }: Source): Violation[] {
  if (lines <= mostLines) return []
  return [{ file, line: mostLines + 1, message: `${lines} lines, ${mostLines} at most: split it` }]
}

/** Circles of imports, those of types alone included: they too bind files into one lump. */
function circles(sources: readonly Source[]): Violation[] {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const done = new Set<string>()
  const found: Violation[] = []
  const visit = (source: Source, path: readonly string[]): void => {
    const here = [...path, source.file]
    for (const { target, line } of source.imports) {
      const next = target === null || done.has(target) ? undefined : byFile.get(target)
      if (!next) continue
      const start = here.indexOf(next.file)
      if (start === -1) visit(next, here)
      else {
        const message = `import circle: ${[...here.slice(start), next.file].join(' → ')}`
        found.push({ file: source.file, line, message })
      }
    }
    done.add(source.file)
  }
  for (const source of sources) if (!done.has(source.file)) visit(source, [])
  return found
}

function read(root: string, file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  const code = blank(text)
  const imports: Import[] = []
  for (const match of text.matchAll(/\b(from|import)\b\s*(\(\s*)?(['"])([^'"\n]+)\3/g)) {
    const [, keyword = '', parenthesis, , specifier = ''] = match
    // In the blanked text only real keywords are left; from('…') is a call of something else.
    if (!code.startsWith(keyword, match.index) || (keyword === 'from' && parenthesis)) continue
    const target = specifier.startsWith('.') ? slashed(normalize(join(dirname(file), specifier))) : null
    imports.push({ specifier, target, line: lineAt(text, match.index) })
  }
  return { file, lines: lineAt(text, text.trimEnd().length), code, imports }
}

function places({ file, code }: Source, pattern: RegExp, message: string): Violation[] {
  return [...code.matchAll(pattern)].map((match) => ({ file, line: lineAt(code, match.index), message }))
}

function layerOf(folder: string): number {
  return layers.findIndex((layer) => layer.includes(folder))
}

function folderOf(file: string): string | null {
  return /^src\/([^/]+)\//.exec(file)?.[1] ?? null
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

if (import.meta.main) {
  const found = violations(join(import.meta.dirname, '..'))
  for (const violation of found) process.stdout.write(`${violation}\n`)
  process.exitCode = found.length === 0 ? 0 : 1
}
