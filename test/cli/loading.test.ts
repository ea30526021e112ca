import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { packageHook, runMain } from '../support/loaded-packages.ts'

// Loading the server takes ten times as long as printing a help.
for (const line of [
  '--help',
  'keys --help',
  'start --help',
  'help users create',
  'monitors list --help',
  'completion bash',
]) {
  test(`"pharos ${line}" loads nothing of the server`, () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...packageHook, '-e', runMain, '--', ...line.split(' ')],
      {
        env: { PATH: process.env.PATH },
        encoding: 'utf8' as const,
      },
    )
    assert.deepEqual([status, stderr], [0, ''])
    assert.ok(stdout.length > 0)
  })
}
