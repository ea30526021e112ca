import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { program } from '../support/pharos-process.ts'

/** Prints the address of every module that comes from a package. */
const hook = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.includes('/node_modules/')) process.stderr.write(url + '\\n')
      return next(url, context)
    },
  })`

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
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
    const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, program, ...line.split(' ')], {
      ...{ env: { PATH: process.env.PATH }, encoding: 'utf8' as const },
    })
    assert.deepEqual([status, stderr], [0, ''])
    assert.ok(stdout.length > 0)
  })
}
