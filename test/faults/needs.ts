import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findServerPrograms } from '../support/postgres-cluster.ts'
import { networkVariable } from './network.ts'

/** What a row needs of the machine. */
export type Need = 'network' | 'mount' | 'postgres' | 'haproxy' | 'pgbouncer' | 'faketime'

/** What may be forbidden, to root in a container, too. */
const permissions: Readonly<Partial<Record<Need, () => string | undefined>>> = {
  network: () => {
    if (process.env[networkVariable] !== undefined) return undefined
    return 'network namespaces need root and iproute2, and a container that permits them'
  },
  mount: () =>
    isSystemAdmin() ? undefined : 'mounting a small file system needs root, and a container that permits it',
}

const programs: Readonly<Partial<Record<Need, () => string | undefined>>> = {
  postgres: () => findServerPrograms() ?? undefined,
  haproxy: () => findProgram('haproxy'),
  pgbouncer: () => findProgram('pgbouncer'),
  faketime: () => faketimeLibrary(),
}

/** Why a row cannot run here. CI installs all programs, so there a missing one is an error. */
export function unmetNeed(needs: readonly Need[]): string | undefined {
  const missing = needs.find((need) => need in programs && programs[need]?.() === undefined)
  if (missing !== undefined && process.env.CI === 'true') throw new Error(`CI installs everything, but not ${missing}.`)
  if (missing !== undefined) return `${missing} was not found`
  return needs.map((need) => permissions[need]?.()).find((reason) => reason !== undefined)
}

const CAP_SYS_ADMIN = 21n

function isSystemAdmin(): boolean {
  if (process.platform !== 'linux') return false
  const [, set = '0'] = /^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return ((BigInt(`0x${set}`) >> CAP_SYS_ADMIN) & 1n) === 1n
}

export function findProgram(name: string): string | undefined {
  // Debian keeps services out of the path of other users than root.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** The variant for programs with threads. */
export function faketimeLibrary(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]
}
