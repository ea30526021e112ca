const OWNER_ONLY = 0o077

/** The umask that the process was started with. */
let inherited: number | undefined

/** From now on, nobody but the owner can read files that this process creates, whatever creates them. */
export function createPrivateFilesOnly(): void {
  inherited ??= process.umask(OWNER_ONLY)
}

/** For files that are not secret and that other users may need, such as the built dashboard. */
export async function withInheritedUmask<T>(work: () => Promise<T>): Promise<T> {
  const current = process.umask(inherited ?? OWNER_ONLY)
  try {
    return await work()
  } finally {
    process.umask(current)
  }
}
