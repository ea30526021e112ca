/**
 * Builds the program: all sources and packages in a few files, in a folder of dist/ (see bin/server-build.js). Runs by itself
 * at the first start of a version.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { buildName, buildsFolder, ENTRY, sourceFiles } from '../bin/server-build.js'
import { buildFolder } from '../src/cli/build-folder.ts'

const root = join(import.meta.dirname, '..')
/** The build that a server may be running, and the new one. */
const KEPT_BUILDS = 2

const input = {
  main: 'src/cli/main.ts',
  worker: 'src/monitoring/probes/worker.ts',
  'checkpoint-worker': 'src/storage/sqlite/checkpoint-worker.ts',
}

/** From a built file to the folder that contains dist/. */
const UP = '../..'

/**
 * Files that the sources read at run time stay where they are, so `import.meta` has to mean the source file. Threads run a file of
 * the build, which is next to the one that starts them.
 */
const ownFiles: Plugin = {
  name: 'own-files',
  transform(code, id) {
    if (!code.includes('import.meta') || !id.startsWith(join(root, 'src'))) return null
    const file = relative(root, id).replaceAll('\\', '/')
    const built = code
      .replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (url, name: string) => {
        if (!(name in input)) throw new Error(`${file} starts ${name}.ts, which is not an input of the build`)
        return url.replace('.ts', '.mjs')
      })
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${UP}/${dirname(file)}')`)
      .replaceAll(/(?<!\.mjs', )import\.meta\.url/g, `new URL('${UP}/${file}', import.meta.url)`)
    // Lines stay where they are.
    return { code: built, map: null }
  },
}

async function build(folder: string): Promise<void> {
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    plugins: [ownFiles],
    // Optional packages that are not installed, such as the native driver of pg, are looked for at run time.
    checks: { unresolvedImport: false },
  })
  const { output } = await bundle.write({
    dir: folder,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  })
  await bundle.close()
  requireKnown(output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])))
}

/** The name of a build has to change with every file that is in it. */
function requireKnown(built: readonly string[]): void {
  const known = new Set(sourceFiles().map((file) => join(root, file)))
  const unknown = built.find((file) => isAbsolute(file) && !file.includes('node_modules') && !known.has(file))
  if (unknown !== undefined) throw new Error(`${unknown} is not a source file that bin/server-build.js knows`)
}

function deleteOldBuilds(): void {
  // Others may be building at this moment; their folders have longer names.
  const builds = readdirSync(buildsFolder).filter((name) => name.length === basename(target).length)
  const newestFirst = builds.map((name) => join(buildsFolder, name)).sort((a, b) => builtAt(b) - builtAt(a))
  for (const folder of newestFirst.slice(KEPT_BUILDS)) rmSync(folder, { recursive: true, force: true })
}

function builtAt(folder: string): number {
  // Another process may have deleted it.
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

const target = join(buildsFolder, buildName())
const isBuilt = (): boolean => existsSync(join(target, ENTRY))
if (!isBuilt()) {
  const otherwise = 'The server runs from its sources, which needs more memory.'
  const say = (text: string): void => void process.stdout.write(text)
  if (await buildFolder({ name: 'server', folder: target, isBuilt, build, otherwise }, say)) deleteOldBuilds()
  else process.exitCode = 1
}
