/**
 * Checks what Biome does not: one-way imports between folders, and one reader of the environment.
 *   node scripts/layers.ts           check; exit 1 with `file:line message` for each violation
 *   node scripts/layers.ts --graph   print the folder graph of src as Mermaid
 *   node scripts/layers.ts --write   write that graph into ARCHITECTURE.md
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cycles, type FolderGraph, folderGraphs } from './layers/folder-graph.ts'
import { document, isDocumented, mermaid } from './layers/mermaid.ts'
import { filesAt, readSources, type Source } from './layers/sources.ts'

/** The folders of src from top to bottom. A folder may import from the folders below it. */
const layers = [
  'cli',
  'server',
  'shadow-runs',
  'importers',
  'discovery',
  'configuration',
  'publishing',
  'monitoring',
  'notifications',
  'accounts',
  'contract',
  'events',
  'storage',
  'outbound',
  'reasons',
  'lib',
]

/** Test folders that have no counterpart in src. */
const testOnly = [
  'support',
  'attacks',
  'clients',
  'crash',
  'faults',
  'fuzz',
  'proxies',
  'recordings',
  'scripts',
  'dashboard',
  'packages',
]

/** The only files of src that the dashboard may import; it gets everything else through the API. */
const sharedWithDashboard = [
  'src/lib/csv.ts',
  'src/lib/markdown.ts',
  'src/lib/selector.ts',
  ...['de', 'en', 'es', 'fr', 'ja', 'pt', 'zh', 'reader-formats', 'reason', 'render'].map(
    (name) => `src/reasons/${name}.ts`,
  ),
]

/** The TypeScript client is a package of its own: it imports nothing, and only the command line uses it. */
const client = 'clients/typescript/src/'

const environmentReader = 'src/cli/environment.ts'

interface Violation {
  readonly file: string
  readonly line: number
  readonly message: string
}

/** Every violation in the tree at `root`, as `file:line message`. */
export function violations(root: string): string[] {
  const sources = readSources(root)
  const inSrc = sources.filter(({ file }) => file.startsWith('src/'))
  const found = [
    ...inSrc.flatMap((source) => [...misplaced(source), ...environment(source)]),
    ...sources.filter(({ file }) => file.startsWith('dashboard/')).flatMap(dashboardImports),
    ...sources.filter(({ file }) => file.startsWith(client)).flatMap(clientImports),
    ...folderCycles(sources),
    ...filesAt(root, 'test/**/*.test.ts').flatMap((file) => notMirrored(root, file)),
  ]
  found.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  return found.map(({ file, line, message }) => `${file}:${line} ${message}`)
}

function misplaced({ file, imports }: Source): Violation[] {
  const folder = topFolder(file)
  if (folder === null) return [{ file, line: 1, message: 'a file of src belongs in one of its folders' }]
  if (!layers.includes(folder)) {
    return [{ file, line: 1, message: `src/${folder} is unknown: add it to the layers in scripts/layers.ts` }]
  }
  return imports.flatMap(({ target, line }) => {
    const message = refusal(folder, target)
    return message === null ? [] : [{ file, line, message }]
  })
}

/** Why a file of `folder` may not import `target`; null if it may. */
function refusal(folder: string, target: string | null): string | null {
  if (target === null) return null
  if (target.startsWith(client)) return folder === 'cli' ? null : `only src/cli may import ${target}`
  if (!target.startsWith('src/')) return /\.[jt]sx?$/.test(target) ? `src imports nothing from ${target}` : null
  const other = topFolder(target)
  if (other === null || !layers.includes(other)) return null
  if (layers.indexOf(other) >= layers.indexOf(folder)) return null
  return `${folder} is below ${other} and may not import it`
}

function dashboardImports({ file, imports }: Source): Violation[] {
  return imports
    .filter(({ target }) => target?.startsWith('src/') && !sharedWithDashboard.includes(target))
    .map(({ target, line }) => ({ file, line, message: `the dashboard may not import ${target}: use the API` }))
}

/** A published package holds only its own folder. */
function clientImports({ file, imports }: Source): Violation[] {
  return imports
    .filter(({ target }) => target?.startsWith(client) !== true)
    .map(({ specifier, line }) => ({ file, line, message: `the client may not import ${specifier}` }))
}

/** Children of one folder that import each other: two subfolders, or a file and a subfolder. Type-only imports count. */
function folderCycles(sources: readonly Source[]): Violation[] {
  const graphs = [...folderGraphs(sources, 'src'), ...folderGraphs(sources, 'dashboard/src')]
  return graphs.flatMap((graph) => cycles(graph).flatMap((group) => crossings(graph, group)))
}

function crossings({ folder, edges }: FolderGraph, group: readonly string[]): Violation[] {
  // Biome reports circles of files, and misplaced imports up the layers.
  if (!group.some(isFolder) || folder === 'src') return []
  const inGroup = group.flatMap((from) => [...(edges.get(from) ?? [])].filter(([to]) => group.includes(to)))
  return inGroup.map(([, { file, line, target }]) => {
    const message = `${group.join(', ')} of ${folder} import each other, here ${target}`
    return { file, line, message }
  })
}

function notMirrored(root: string, file: string): Violation[] {
  const [, top = ''] = file.split('/')
  const folder = dirname(file).replace(/^test/, 'src')
  if (folder === 'src' || testOnly.includes(top) || existsSync(join(root, folder))) return []
  // A file of src may have a folder of tests: test/storage/migrate/ for src/storage/migrate.ts.
  if (existsSync(join(root, `${folder}.ts`))) return []
  return [{ file, line: 1, message: `${folder} does not exist: test mirrors src` }]
}

function environment({ file, imports, environmentLines }: Source): Violation[] {
  if (file === environmentReader) return []
  const message = `only ${environmentReader} reads the environment`
  return [
    ...environmentLines.map((line) => ({ file, line, message })),
    ...imports
      .filter(({ specifier }) => /^(node:)?process$/.test(specifier))
      .map(({ line }) => ({ file, line, message: `${message}: use the global process instead` })),
  ]
}

function topFolder(file: string): string | null {
  return /^src\/([^/]+)\//.exec(file)?.[1] ?? null
}

function isFolder(child: string): boolean {
  return !/\.[jt]sx?$/.test(child)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const graph = mermaid(readSources(root))
  if (process.argv.includes('--graph')) process.stdout.write(graph)
  else if (process.argv.includes('--write')) document(root, graph)
  else {
    const found = violations(root)
    if (!isDocumented(root, graph))
      found.push('ARCHITECTURE.md:1 the folder graph is outdated: node scripts/layers.ts --write')
    for (const violation of found) process.stdout.write(`${violation}\n`)
    process.exitCode = found.length === 0 ? 0 : 1
  }
}
