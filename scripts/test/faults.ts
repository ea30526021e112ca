import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { networkVariable } from '../../test/faults/network.ts'
import { type RowResult, reportVariable } from '../../test/faults/report.ts'

/** Runs its arguments in a new network namespace that has loopback alone. */
const privately = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

/**
 * Starts this process again in a network namespace of its own, which all workers share: virtual hosts can be added without a
 * trace on the machine. Stays where it is if that is not permitted; rows that need it are skipped then.
 */
export function enterPrivateNetwork(): void {
  if (process.env[networkVariable] !== undefined || process.getuid?.() !== 0) return
  const [command = '', ...args] = privately
  if (spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status !== 0) return
  const file = spawnSync('/bin/sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).stdout.trim()
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(file, [...privately, ...again], { ...process.env, [networkVariable]: 'true' })
}

/** Names the file that rows write to, in an environment variable that all workers inherit. */
export function openFaultReport(): void {
  process.env[reportVariable] = join(mkdtempSync(join(tmpdir(), 'pharos-faults-')), 'rows')
}

/** The table of faults in Markdown; removes the file that it is made of. */
export function faultTable(): string {
  const file = process.env[reportVariable] ?? ''
  const rows = readRows(file)
  rmSync(join(file, '..'), { recursive: true, force: true })
  const lines = rows.map(({ fault, result, measures, reason }) => {
    const measured = measures.map(({ what, measured }) => `${what}: ${measured}`)
    const required = measures.map(({ what, required }) => (required === 'yes' ? what : `${what}: ${required}`))
    const cells = [
      fault,
      [...measured, ...(reason === undefined ? [] : [reason])].join('; '),
      required.join('; '),
      result,
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  })
  return ['', '| fault | measured | required | result |', '|---|---|---|---|', ...lines.sort(), ''].join('\n')
}

function readRows(file: string): RowResult[] {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line) as RowResult)
  } catch {
    return [] // No row has ended.
  }
}
