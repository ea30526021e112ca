import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageError } from '../../src/cli/command.ts'
import { findCommand } from '../../src/cli/find-command.ts'

const commands = ['start', 'monitors list', 'admin contacts add', 'admin contacts list'].map((name) => ({
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

test('a command of a group within a group is found', () => {
  const request = findCommand(commands, ['admin', 'contacts', 'add', '--name', 'x'])
  assert.deepEqual(request, { do: 'run', command: commands[2], argv: ['--name', 'x'] })
  assert.equal(findCommand(commands, ['help', 'admin', 'contacts']).do, 'groupHelp')
})

test('a command without the name of its group is suggested with it', () => {
  assert.equal(suggestion('contacts', 'list'), 'pharos admin contacts list')
  assert.equal(suggestion('contacts'), 'pharos admin contacts')
  assert.equal(suggestion('admin', 'contacts', 'create'), 'pharos admin contacts add')
  assert.equal(suggestion('monitors', 'show'), 'pharos monitors list')
})

test('a group of the API and commands on the database for the same resource are both reached', () => {
  const both = [...commands, { name: 'contacts list', summary: 'Over the API' }]
  const nameOf = (...argv: string[]) => {
    const request = findCommand(both, argv)
    return request.do === 'run' ? request.command.name : request.do
  }
  assert.equal(nameOf('contacts', 'list'), 'contacts list')
  assert.equal(nameOf('admin', 'contacts', 'list'), 'admin contacts list')
})
