import type { Sealer } from './seal.ts'

/** A token for a link. Only this installation can make or read it; `context` keeps it from being used for another purpose. */
export function sealToken(sealer: Sealer, fields: readonly (string | number)[], context: string): string {
  return sealer.seal(fields.join(' '), context).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The fields, which contain no spaces. Empty if the token is invalid. */
export function openToken(token: string, sealer: Sealer, context: string): readonly string[] {
  try {
    return sealer.open(token.replaceAll('-', '+').replaceAll('_', '/'), context).split(' ')
  } catch {
    return []
  }
}
