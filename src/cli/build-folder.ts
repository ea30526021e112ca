import { mkdirSync, renameSync, rmSync } from 'node:fs'

export interface FolderBuild {
  /** What is built, as the output names it. */
  readonly name: string
  readonly folder: string
  /** Whether the folder has what is built here; another process may build it at the same time. */
  readonly isBuilt: () => boolean
  /** Writes all files into a folder that is renamed to `folder` afterwards. */
  readonly build: (temporary: string) => Promise<void>
  /** What follows from a failure. */
  readonly otherwise: string
}

/** Builds a folder and prints how that went. Returns whether it is built. */
export async function buildFolder(
  { name, folder, isBuilt, build, otherwise }: FolderBuild,
  say: (text: string) => void,
): Promise<boolean> {
  const startedAt = performance.now()
  say(`Building the ${name} (first start of this version) … `)
  const temporary = `${folder}.${process.pid}`
  try {
    mkdirSync(temporary, { recursive: true })
    await build(temporary)
    // A rename is atomic: a process that starts at the same time sees a complete build or none.
    renameSync(temporary, folder)
    say(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
    return true
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    const isDone = isBuilt()
    say(isDone ? 'done by another process\n' : `failed. ${otherwise}\n${(error as Error).message}\n`)
    return isDone
  }
}
