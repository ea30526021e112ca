import type { Sealer } from '../lib/seal.ts'
import type { ShadowRunTable } from '../storage/schema/shadow-runs.ts'

type KeyedRun = Pick<ShadowRunTable, 'org_id' | 'id'>

/** The key of the other tool as it is stored. */
export function sealKey(key: string | undefined, run: KeyedRun, sealer: Sealer): string | null {
  return key === undefined ? null : sealer.seal(key, contextOf(run))
}

export function openKey(run: KeyedRun & Pick<ShadowRunTable, 'sealed_key'>, sealer: Sealer): string | null {
  return run.sealed_key === null ? null : sealer.open(run.sealed_key, contextOf(run))
}

function contextOf({ org_id: orgId, id }: KeyedRun): string {
  return `shadow run ${orgId} ${id}`
}
