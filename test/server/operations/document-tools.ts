import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** Path of a tool in the workspace `tools`; npm may hoist it to the root. */
export function tool(name: string): string {
  const own = join(root, 'tools/node_modules/.bin', name)
  return existsSync(own) ? own : join(root, 'node_modules/.bin', name)
}

export function run(command: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    // Disables the version check over the network.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
  })
  return { status, output: stdout + stderr }
}

/** The lint of a document finds nothing. */
export function lint(name: string): void {
  const { status, output } = run(process.execPath, [tool('redocly'), 'lint', name, '--config', 'tools/redocly.yaml'])
  assert.equal(status, 0, output)
  assert.doesNotMatch(output, /warning/i)
}
