import { readFileSync } from 'node:fs'
import { isSingleLine } from '../contract/patterns.ts'
import { CommandError, UsageError } from './command.ts'

/** The text of a file, or of standard input for "-", without the line break at its end. */
export function readInput(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new CommandError(`Cannot read ${path === '-' ? 'standard input' : path}: ${(error as Error).message}`)
  }
}

/** The value of --name. */
export function requireName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > 120) throw new UsageError('--name must have 1 to 120 characters')
  if (!isSingleLine(name)) throw new UsageError('--name must not contain control characters')
  return name
}
