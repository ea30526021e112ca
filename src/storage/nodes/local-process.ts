import { readFileSync, readlinkSync } from 'node:fs'

/** Null where it cannot be found out (not Linux, or no /proc). */
export type ProcessId = string | null

/**
 * Identifies a process among all hosts: boot of the host, process namespace (a container has its own), process, and its
 * start, because numbers are used again.
 */
export function processIdOf(pid: number): ProcessId {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
    const { startedAt } = statOf(pid)
    return namespace === undefined || startedAt === undefined ? null : `${boot}/${namespace}/${pid}/${startedAt}`
  } catch {
    return null
  }
}

/**
 * Whether a process of this host and namespace has ended. False if that is not certain: it may run elsewhere, or hang. Two
 * namespaces never have the same number at the same time, so an equal one is this one, or has ended with its processes.
 */
export function hasEnded(other: ProcessId, own: ProcessId): boolean {
  if (other === null || own === null) return false
  const [boot, namespace, pid = '', startedAt] = other.split('/')
  const [ownBoot, ownNamespace] = own.split('/')
  if (boot !== ownBoot || namespace !== ownNamespace) return false
  try {
    process.kill(Number(pid), 0)
    const found = statOf(Number(pid))
    return found.startedAt !== startedAt || ended.has(found.state)
  } catch (error) {
    // A process of another user can neither be asked nor read, but it exists. One that ends between the two calls has no file.
    const { code } = error as NodeJS.ErrnoException
    return code === 'ESRCH' || code === 'ENOENT'
  }
}

/** A zombie has ended, and its parent has not asked for its exit code. */
const ended = new Set(['Z', 'X'])

/** The state of a process, and its start in clock ticks since the boot. */
function statOf(pid: number): { readonly state: string; readonly startedAt: string | undefined } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name in parentheses and may contain spaces; the state is the third, the start the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', startedAt: fields[19] }
}
