import type { Static } from 'typebox'
import { itemsOf } from '../../configuration/items.ts'
import type { KindName } from '../../configuration/kinds/kind.ts'
import type { OperationContext } from '../../contract/operation.ts'
import type { DbWork } from '../../storage/query.ts'
import type { ImportTable } from '../../storage/schema/configuration.ts'
import type { SourceName } from '../result.ts'
import { configurationSourceOf, renderImport, type StoredResult } from './rows.ts'
import type { ImportReport } from './schema.ts'

/** The report of an import, with the resources that its objects became. */
export function* reportOf(
  { caller }: OperationContext,
  row: ImportTable,
  { objects, unreadable, variables = [], withOldAddress, withNewAddress = [] }: StoredResult,
): DbWork<Static<typeof ImportReport>> {
  const items = yield* itemsOf(caller.orgId)
  const source = configurationSourceOf(row.source as SourceName)
  const idOf = (key: string): string | null => {
    const [kind = '', name = ''] = key.split('.')
    return items[kind as KindName]?.named(source, name)?.id ?? null
  }
  return {
    ...renderImport(row),
    objects: objects.map(({ key = null, losses, reason = null, ...object }) => ({
      ...object,
      key,
      reason,
      losses: [...losses],
      resourceId: key === null ? null : idOf(key),
      keepsAddress: key !== null && withOldAddress.includes(key),
      needsNewAddress: key !== null && withNewAddress.includes(key),
    })),
    unreadable: [...unreadable],
    variables: [...variables],
  }
}
