import type { Readable, Writable } from 'node:stream'
import { cleanLine } from './clean-text.ts'
import { CommandError, UsageError } from './command.ts'

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

const terminal: Terminal = { input: process.stdin, output: process.stderr }

/** Asks before something is deleted. Where nobody can be asked, the command line must have --yes. */
export async function confirm(
  question: string | (() => Promise<string>),
  { input, output }: Terminal = terminal,
): Promise<void> {
  if (input.isTTY !== true || output.isTTY !== true)
    throw new UsageError('Without a terminal, this command needs --yes')
  const text = cleanLine(typeof question === 'string' ? question : await question())
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output })
  // Ctrl+C and the end of the input are a no.
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const answer = await Promise.race([lines.question(`${text} [y/N] `), ended])
  lines.close()
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CommandError('Nothing was changed')
}
