import { DOCUMENT_BODY_BYTES, type Operation, READER_DOCUMENT_BYTES } from '../../contract/operation.ts'
import type { Caller } from '../../storage/database.ts'
import type { BulkTurns } from './bulk-turns.ts'
import type { DocumentTurn } from './input.ts'

/**
 * Runs an operation whose body is a document within the turn of its organization, so that an organization has one document in memory.
 * Other operations run at once.
 */
export async function inDocumentTurn<T>(
  bulkTurns: BulkTurns,
  { document }: Operation,
  caller: Caller | undefined,
  run: (turn?: DocumentTurn) => Promise<T>,
): Promise<T> {
  if (document === undefined || caller === undefined) return run()
  const maxBytes = canApply(caller) ? DOCUMENT_BODY_BYTES : READER_DOCUMENT_BYTES
  return bulkTurns.reserve(caller.orgId, ({ start }) => run({ start, maxBytes, key: caller.orgId }))
}

function canApply(caller: Caller): boolean {
  return 'keyId' in caller ? caller.access === 'full' : caller.role !== 'VIEWER'
}
