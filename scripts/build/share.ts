import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where each shell looks for completions below /usr/share. */
const completions = {
  bash: 'bash-completion/completions/pharos',
  zsh: 'zsh/site-functions/_pharos',
  fish: 'fish/vendor_completions.d/pharos.fish',
} as const

export const MAN_PAGE = 'share/man/man1/pharos.1'

/** Writes what belongs below /usr/share: completion scripts and the man page. */
export async function writeShare(folder: string, version: string): Promise<void> {
  // Loaded here: a source with a fault must not keep the build script from starting.
  const [{ allCommands }, { completionScript }, { overview }] = await Promise.all([
    import('../../src/cli/main.ts'),
    import('../../src/cli/completion.ts'),
    import('../../src/cli/help.ts'),
  ])
  const commands = await allCommands()
  for (const [shell, path] of Object.entries(completions)) {
    write(join(folder, 'share', path), `${completionScript(shell, commands)}\n`)
  }
  write(join(folder, MAN_PAGE), manPage(overview(commands), version))
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function manPage(text: string, version: string): string {
  return [
    `.TH PHAROS 1 "" "Pharos ${version}"`,
    '.SH NAME',
    'pharos \\- uptime monitoring, alerts and status pages',
    '.SH COMMANDS',
    '.nf',
    ...text.split('\n').slice(2).map(roff),
    '.fi',
    '.SH EXIT STATUS',
    '0 success, 1 error, 2 wrong command line, 3 changes (plan \\-\\-check)',
    '',
  ].join('\n')
}

/** A line of text in ASCII: roff reads backslashes, and dots and quotes at the start, as commands. */
function roff(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('…', '...')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
}
