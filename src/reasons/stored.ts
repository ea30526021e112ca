import { parseStored } from '../lib/json.ts'
import { en } from './en.ts'
import { type Reason, reason } from './reason.ts'

/** As a text column has it. */
export function storedReason(reason: Reason): string {
  return JSON.stringify(reason, withoutNul)
}

/** PostgreSQL cannot store NUL. */
export function withoutNul(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', ' ') : value
}

/** A row without a code has its text. */
export function reasonIn(stored: string | Reason): Reason {
  if (typeof stored !== 'string') return stored
  const { code, values } = parsed(stored) ?? {}
  return code !== undefined && values !== undefined && Object.hasOwn(en, code)
    ? { code, values }
    : reason('text', { text: stored })
}

function parsed(stored: string): Partial<Reason> | undefined {
  if (!stored.startsWith('{"code":"')) return undefined
  try {
    return parseStored(stored) as Partial<Reason>
  } catch {
    return undefined
  }
}
