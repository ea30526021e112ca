import type { Endpoint, HttpMethod } from '../../../clients/typescript/src/endpoint.ts'
import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { resources } from '../../../clients/typescript/src/resources.ts'
import type { Arguments, Option } from '../command.ts'
import type { Row } from './display.ts'
import type { DocumentedOperation } from './document.ts'
import type { Group } from './groups.ts'
import { fieldsOf } from './schema.ts'

export const replaceOptions: Readonly<Record<string, Option>> = {
  replace: { help: 'Reset what is not named, instead of keeping it' },
}

/** Fields that cannot be set together: one that is named replaces the other. */
const alternatives = [['preset', 'steps']]

/** The name of the method that does something else at the same address. */
export function methodAt({ resource }: Group, method: HttpMethod, path: string): string | undefined {
  const methods = Object.entries<Endpoint>(resources[resource])
  return methods.find(([, endpoint]) => endpoint.method === method && endpoint.path === path)?.[0]
}

/** Whether a command that replaces something of several fields can read it first. */
export function keepsOthers(group: Group, { method, path }: Endpoint, { body }: DocumentedOperation): boolean {
  const isSeveral = Object.keys(fieldsOf(body())).length > 1
  return method === 'PUT' && isSeveral && methodAt(group, 'GET', path) !== undefined
}

interface Replacement {
  readonly group: Group
  readonly endpoint: Endpoint
  readonly operation: () => DocumentedOperation
}

/**
 * PUT replaces everything. A person who names one option does not mean to reset the others, so they are sent as they are;
 * masked secrets keep their stored values. --replace and --body mean the whole.
 */
export async function keptFields(
  { group, endpoint, operation }: Replacement,
  pharos: Pharos,
  ids: readonly string[],
  { options }: Arguments,
  wanted: Row,
): Promise<Row> {
  const isWhole = options.replace !== undefined || options.body !== undefined
  if (isWhole || !keepsOthers(group, endpoint, operation())) return {}
  const method = methodAt(group, 'GET', endpoint.path) as string
  const methods = pharos[group.resource] as unknown as Readonly<Record<string, (...ids: string[]) => Promise<Row>>>
  const stored = await (methods[method] as (...ids: string[]) => Promise<Row | null>)(...ids)
  const known = fieldsOf(operation().body())
  const replaced = alternatives.flatMap((fields) => (fields.some((field) => field in wanted) ? fields : []))
  return Object.fromEntries(
    Object.entries(stored ?? {}).filter(([field, value]) => {
      return field in known && value !== null && !replaced.includes(field)
    }),
  )
}
