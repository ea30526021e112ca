import { pluralOf } from './api/groups.ts'
import { type ClientCommand, type Command, type Option, UsageError } from './command.ts'
import { groupsOf } from './find-command.ts'
import { optionNames, optionsOf } from './parse-arguments.ts'

/** What can follow: by the words of a command line, the words that come next. `:` stands for any value. */
type NextWords = ReadonlyMap<string, readonly string[]>

const ANY_VALUE = ':'

/** The command that prints a completion script. The scripts hold all words, so that completing starts no program. */
export function completionCommand(allCommands: () => Promise<readonly Command[]>): ClientCommand {
  return {
    name: 'completion',
    summary: 'Print a shell completion script',
    positionals: ['SHELL'],
    hasOwnOutput: true,
    notes: () => [
      'SHELL is bash, zsh or fish. New shells load the script from these files (create the folder first):',
      '  bash  pharos completion bash > ~/.local/share/bash-completion/completions/pharos',
      '  zsh   pharos completion zsh > "$fpath[1]/_pharos"',
      '  fish  pharos completion fish > ~/.config/fish/completions/pharos.fish',
    ],
    async call(_environment, { positionals }) {
      const [shell = ''] = positionals
      const text = completionScript(shell, await allCommands())
      return { text, json: { shell, script: text } }
    },
  }
}

export function completionScript(shell: string, commands: readonly Command[]): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) throw new UsageError(`SHELL must be bash, zsh or fish, not "${shell}"`)
  return script(commands)
}

const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

function completedOptions(command: Command): Readonly<Record<string, Option>> {
  return { ...optionsOf(command), help: { help: 'Show help' } }
}

function nextWords(commands: readonly Command[]): NextWords {
  const next = new Map<string, string[]>()
  const add = (key: string, ...words: string[]) => next.set(key, [...new Set([...(next.get(key) ?? []), ...words])])
  add('', ...commands.map(({ name }) => name.split(' ')[0] as string), 'help', '--help', '--version')
  for (const command of commands) {
    const [group = '', verb] = command.name.split(' ')
    if (verb !== undefined) add(group, verb)
    const options = completedOptions(command)
    add(command.name, ...optionNames(options).map((name) => `--${name}`))
    if (command.name === 'completion') add(command.name, ...Object.keys(scripts))
    for (const [name, { value, choices }] of Object.entries(options)) {
      if (value !== undefined) add(`${command.name} --${name}`, ...(choices ?? [ANY_VALUE]))
    }
  }
  return next
}

/** A function for bash and zsh that prints the words that follow $1, one per line. */
function wordsFunction(commands: readonly Command[]): string {
  // Options of several commands that take the same values share a line.
  const keys = new Map<string, string[]>()
  for (const [key, words] of nextWords(commands)) {
    const line = words.map(quoted).join(' ')
    keys.set(line, [...(keys.get(line) ?? []), key])
  }
  const cases = [...keys].map(([line, all]) => `    ${all.map(quoted).join('|')}) printf '%s\\n' ${line} ;;`)
  return ['_pharos_words() {', '  case "$1" in', ...cases, '  esac', '}'].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function isGroup(commands: readonly Command[]): string {
  return `_pharos_is_group() { case "$1" in ${groupsOf(commands).map(quoted).join('|')}) return 0 ;; esac; return 1; }`
}

function bashScript(commands: readonly Command[]): string {
  return `# Completion of pharos for bash
${wordsFunction(commands)}
${isGroup(commands)}
_pharos() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" key='' words line
  local given=("\${COMP_WORDS[@]:1:COMP_CWORD - 1}")
  COMPREPLY=()
  [[ \${given[0]} == help ]] && given=("\${given[@]:1}")
  # Bash splits --type=http into three words.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  if ((\${#given[@]} > 0)); then
    key="\${given[0]}"
    _pharos_is_group "$key" && key="\${given[*]:0:2}"
  fi
  words=''
  [[ $previous == --* ]] && words="$(_pharos_words "$key $previous")"
  [[ $words == '${ANY_VALUE}' ]] && return
  [[ -n $words ]] || words="$(_pharos_words "$key")"
  while IFS= read -r line; do
    [[ $line == "$current"* ]] && COMPREPLY+=("$line")
  done <<<"$words"
}
complete -o bashdefault -o default -F _pharos pharos`
}

function zshScript(commands: readonly Command[]): string {
  return `#compdef pharos
# Completion of pharos for zsh
${wordsFunction(commands)}
${isGroup(commands)}
_pharos() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" key='' next=''
  local -a given
  (( CURRENT > 2 )) && given=("\${(@)words[2,CURRENT-1]}")
  [[ "\${given[1]}" == help ]] && shift given
  if (( \${#given} > 0 )); then
    key="\${given[1]}"
    (( \${#given} > 1 )) && _pharos_is_group "$key" && key="$key \${given[2]}"
  fi
  if [[ "$current" == --*=* ]]; then
    next="$(_pharos_words "$key \${current%%=*}")"
    compset -P '*='
  elif [[ "$previous" == --* ]]; then
    next="$(_pharos_words "$key $previous")"
  fi
  if [[ "$next" == '${ANY_VALUE}' ]]; then _files; return; fi
  [[ -n "$next" ]] || next="$(_pharos_words "$key")"
  compadd -- "\${(@f)next}"
}
if [[ "\${funcstack[1]}" == _pharos ]]; then _pharos "$@"; else compdef _pharos pharos; fi`
}

function fishScript(commands: readonly Command[]): string {
  const described = commands.flatMap((command) => {
    const options = Object.entries(completedOptions(command)).flatMap(([name, option]) =>
      fishOption(command, name, option),
    )
    return [fishWord(command.name, command.summary), ...options]
  })
  const groups = groupsOf(commands).map((group) => fishWord(group, `Manage ${pluralOf(group)}`))
  return [
    '# Completion of pharos for fish',
    'function __pharos_follows',
    '  set -l given (commandline -opc)',
    '  test "$given[2..-1]" = "$argv"',
    'end',
    'function __pharos_runs',
    '  set -l given (commandline -opc)',
    '  set -l last (math (count $argv) + 1)',
    '  test (count $given) -ge $last; and test "$given[2..$last]" = "$argv"',
    'end',
    'complete -c pharos -f',
    `complete -c pharos -n '__pharos_follows completion' -a ${quoted(Object.keys(scripts).join(' '))}`,
    ...groups,
    ...described,
  ].join('\n')
}

function fishWord(name: string, text: string): string {
  const words = name.split(' ')
  const follows = ['__pharos_follows', ...words.slice(0, -1)].join(' ')
  return `complete -c pharos -n '${follows}' -a ${words.at(-1)} -d ${quoted(text)}`
}

function fishOption({ name: command }: Command, name: string, option: Option): string[] {
  const { value, choices, negatable, help } = option
  const start = `complete -c pharos -n '__pharos_runs ${command}'`
  const values = value === undefined ? '' : choices === undefined ? ' -r -F' : ` -x -a ${quoted(choices.join(' '))}`
  const line = `${start} -l ${name}${values} -d ${quoted(help)}`
  return negatable === true ? [line, `${start} -l no-${name}`] : [line]
}
