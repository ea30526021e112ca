import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageError } from '../../src/cli/command.ts'
import { findCommand } from '../../src/cli/find-command.ts'

const commands = ['start', 'monitors list', 'keys create'].map((name) => ({
  name,
  summary: name,
}))

function suggestion(...argv: string[]): string | undefined {
  let found: string | undefined
  assert.throws(
    () => findCommand(commands, argv),
    (error: UsageError) => {
      found = error.suggestion
      return true
    },
  )
  return found
}

test('a similar command is suggested', () => {
  assert.equal(suggestion('monitors', 'show'), 'pharos monitors list')
  assert.equal(suggestion('keys', 'new'), 'pharos keys create')
  assert.equal(suggestion('monitor'), 'pharos monitors')
})
