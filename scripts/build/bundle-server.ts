import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')

const input = {
  main: 'src/cli/main.ts',
  worker: 'src/monitoring/probes/worker.ts',
  'reader-process': 'src/importers/stored-imports/reader-process.ts',
  'foreign-tasks': 'src/server/foreign-tasks.ts',
  'checkpoint-worker': 'src/storage/sqlite/checkpoint-worker.ts',
}

/**
 * The staged folder has the files that the sources read at run time at the same path as the repository, so `import.meta` has to
 * mean the source file. Threads run a file of the bundle, which is next to the one that starts them.
 */
const ownFiles: Plugin = {
  name: 'own-files',
  transform(code, id) {
    if (!code.includes('import.meta') || !id.startsWith(join(root, 'src'))) return null
    const file = relative(root, id).replaceAll('\\', '/')
    const built = code
      .replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (url, name: string) => {
        if (!(name in input)) throw new Error(`${file} starts ${name}.ts, which is not an input of the bundle`)
        return url.replace('.ts', '.mjs')
      })
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/../${dirname(file)}')`)
      .replaceAll(/(?<!\.mjs', )import\.meta\.url/g, `new URL('../${file}', import.meta.url)`)
    return { code: built, map: null }
  },
}

/** Bundles the sources and their packages into a few files. Returns the folders of the packages. */
export async function bundleServer(folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    plugins: [ownFiles],
    // Optional packages that are not installed, such as the native driver of pg, are looked for at run time.
    checks: { unresolvedImport: false },
  })
  const { output } = await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return [...new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))].sort()
}
