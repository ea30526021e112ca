import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openShell } from '../support/pharos-process.ts'

/** A command line whose last word is completed, some words that are offered, and one that is not. */
const cases: readonly [words: readonly string[], offered: readonly string[], notOffered: string][] = [
  [['mon'], ['monitors'], 'incidents'],
  [[''], ['start', 'monitors', 'completion', 'windows'], 'list'],
  [['monitors', ''], ['list', 'create', 'check'], 'acknowledge'],
  [['published', 'post'], ['post-update'], 'list'],
  [['monitors', 'create', '--ty'], ['--type'], '--name'],
  [['monitors', 'create', '--no-ver'], ['--no-verify-ssl'], '--verify-ssl'],
  [['monitors', 'create', '--name', 'a', '--int'], ['--interval-seconds'], '--name'],
  [['monitors', 'create', '--type', ''], ['http', 'keyword', 'domain'], '--name'],
  [['incidents', 'list', '--status', 'on'], ['ongoing'], 'resolved'],
  [['webhooks', 'create', '--event-types', 'incident.o'], ['incident.opened'], 'monitor.paused'],
  [['keys', 'create', '--acc'], ['--access'], '--name'],
  [['mcp', '--wr'], ['--write'], '--json'],
  [['completion', 'z'], ['zsh'], 'bash'],
]

const shells: Record<string, (script: string, words: readonly string[]) => readonly [string, string]> = {
  bash: (script, words) => [
    '-c',
    `source ${script}; COMP_WORDS=(pharos ${quoted(words)}); COMP_CWORD=${words.length}; _pharos; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, words) => [
    '-c',
    `compdef() { : }; compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }; _files() { : }
     source ${script}; words=(pharos ${quoted(words)}); CURRENT=${words.length + 1}; _pharos`,
  ],
  fish: (script, words) => ['-c', `source ${script}; complete -C ${quoted([['pharos', ...words].join(' ')])}`],
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ')
}

describe('completion', () => {
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-completion-'))
    await using shell = openShell({})
    for (const name of Object.keys(shells)) {
      const { code, stdout } = await shell.run('completion', name)
      assert.equal(code, 0)
      writeFileSync(join(folder, name), stdout)
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, commandOf] of Object.entries(shells)) {
    const isMissing = spawnSync(name, ['-c', 'true']).error !== undefined
    test(`in ${name} offers groups, verbs, options and values`, { skip: isMissing && `${name} was not found` }, () => {
      for (const [words, offered, notOffered] of cases) {
        const { stdout, stderr } = spawnSync(name, commandOf(join(folder, name), words), { encoding: 'utf8' })
        assert.equal(stderr, '', words.join(' '))
        const found = stdout.split('\n').map((line) => line.split('\t')[0])
        for (const word of offered) assert.ok(found.includes(word), `${words.join(' ')}: ${word} in ${stdout}`)
        assert.ok(!found.includes(notOffered), `${words.join(' ')}: ${notOffered} not in ${stdout}`)
      }
    })
  }

  test('in bash offers nothing for a free value, so that files are completed', () => {
    const [option, script] = shells.bash?.(join(folder, 'bash'), ['monitors', 'create', '--name', '']) ?? ['', '']
    assert.equal(spawnSync('bash', [option, script], { encoding: 'utf8' }).stdout, '\n')
  })
})
