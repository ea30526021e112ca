import type { Fault } from '../contract/errors.ts'
import type { Installation } from '../contract/operation.ts'
import { createRest, type DbWork } from '../storage/query.ts'
import { readDocument, readEntry } from './document.ts'
import { Faults } from './faults.ts'
import { Items } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import type { Fields } from './kinds/fields.ts'
import { kindNames } from './kinds/kind.ts'
import { References } from './references.ts'
import { entriesIn, splitDocument } from './split-document.ts'

/** Its own host and which private addresses are allowed is up to the installation that the document is applied to. */
const installation = { baseUrl: 'http://pharos.invalid', webhooks: { policy: 'allow' } } as Installation

/** What is wrong in a document by itself, without a server: fields, values, and references to what it does not have. */
export function documentFaults(given: Fields): readonly Fault[] {
  const split = splitDocument(given, 'document')
  if ('faults' in split) return split.faults
  const faults = new Faults()
  const document = withoutDatabase(readDocument(split, faults, createRest()))
  const ofKinds = <T>(of: (kind: (typeof kindNames)[number]) => T) =>
    Object.fromEntries(kindNames.map((kind) => [kind, of(kind)])) as Record<(typeof kindNames)[number], T>
  const targets = ofKinds((kind) => new Map(document.entries[kind].map(({ key }) => [key, { id: undefined }])))
  const none = ofKinds(() => new Items([]))
  const references = new References(document.source, none, targets)
  for (const chunk of split.chunks) {
    const byKey = new Map(document.entries[chunk.kind].map((entry) => [entry.key, entry]))
    for (const [key, own] of entriesIn(chunk)) {
      const entry = byKey.get(key)
      if (entry === undefined || faults.isFull) continue
      const read = readEntry(chunk.kind, entry, own as Fields, document, installation, faults)
      const resolve = references.resolver(entry.path, faults)
      if (read === undefined) continue
      kinds[chunk.kind].mapReferences(read, (kind, reference, path) => {
        // Only the server knows what other sources have.
        const isForeign = reference.includes('/') && !reference.startsWith(`${document.source}/`)
        return isForeign ? reference : resolve(kind, reference, path)
      })
    }
  }
  return faults.all
}

/** Runs work whose steps only give the event loop back. */
function withoutDatabase<T>(work: DbWork<T>): T {
  for (;;) {
    const { done, value } = work.next({ rows: [], changes: 0 } as never)
    if (done) return value as T
  }
}
