import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiCommands } from '../../src/cli/api/commands.ts'
import { groupSections } from '../../src/cli/help-sections.ts'
import { openShell } from '../support/pharos-process.ts'

test('the overview and the help of groups have sections of about ten short lines, and name everything', async () => {
  await using shell = openShell({})
  const overview = (await shell.run('--help')).stdout
  const groups = new Set(apiCommands.map(({ name }) => name.split(' ')[0] as string))
  for (const word of groups) assert.match(overview, new RegExp(`^ {2}${word} `, 'm'))
  assert.doesNotMatch(overview, /^Other:$/m)
  for (const group of [undefined, ...groups]) {
    const { stdout } = group === undefined ? { stdout: overview } : await shell.run('help', group)
    for (const section of stdout.split('\n\n')) {
      assert.ok(section.split('\n').length <= 15, section)
      for (const line of section.split('\n')) assert.ok(line.length <= 150, line)
    }
    const members = apiCommands.filter(({ name }) => name.startsWith(`${group} `))
    for (const { name } of members) assert.match(stdout, new RegExp(`^ {2}${name}( |$)`, 'm'))
  }
})

test('the sections of a group name existing commands', () => {
  for (const [group, sections] of Object.entries(groupSections)) {
    for (const verb of Object.values(sections).flat()) {
      assert.ok(
        apiCommands.some(({ name }) => name === `${group} ${verb}`),
        `${group} ${verb}`,
      )
    }
  }
})
