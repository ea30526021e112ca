import type { Command } from './command.ts'

export function overview(commands: readonly Command[]): string {
  const usages = commands.map((command) => [usageOf(command), command.summary] as const)
  const width = Math.max(...usages.map(([usage]) => usage.length))
  return [
    'Pharos monitors what you run and alerts you when it is down.',
    '',
    'Usage: pharos COMMAND [--json] [--help]',
    '',
    ...usages.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    'Every command reads its configuration from environment variables (docs/configuration.md)',
    'and can be used while the server is running. See also "pharos COMMAND --help".',
  ].join('\n')
}

export function commandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, json: { help: 'print JSON for programs' } })
  const rows = options.map(([name, option]) => {
    const value = 'value' in option && option.value !== undefined ? ` ${option.value}` : ''
    const required = 'required' in option && option.required === true ? ' (required)' : ''
    return [`--${name}${value}`, `${option.help}${required}`] as const
  })
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${command.summary}.`,
    '',
    `Usage: pharos ${usageOf(command)} [options]`,
    '',
    ...rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
    ...(command.notes === undefined ? [] : ['', command.notes()]),
  ].join('\n')
}

function usageOf({ name, positionals = [] }: Command): string {
  return [name, ...positionals].join(' ')
}
