import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

/** Prints the address of every module that comes from a package. */
const hook = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.includes('/node_modules/')) process.stderr.write(url + '\\n')
      return next(url, context)
    },
  })`

const main = join(import.meta.dirname, '../../src/cli/main.ts')
/** The build is divided by the same imports, but it contains the packages. */
const run = `import(${JSON.stringify(main)}).then(({ runCommand }) => runCommand(process.argv.slice(1)))`

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
    const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, '-e', run, '--', ...line.split(' ')], {
      env: { PATH: process.env.PATH },
      encoding: 'utf8' as const,
    })
    assert.deepEqual([status, stderr], [0, ''])
    assert.ok(stdout.length > 0)
  })
}
