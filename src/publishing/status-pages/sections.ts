import { type Fault, invalid } from '../../contract/errors.ts'
import { monitorsNamed } from '../../monitoring/monitors/queries.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Section } from './schema.ts'

/** The monitors that sections name: their numbers, or a fault for each that there is none of. */
export interface Named {
  readonly nums: readonly number[]
  readonly faults: readonly Fault[]
}

/** They stay until the end of the transaction. */
export function* monitorsIn(orgId: string, sections: readonly Section[]): DbWork<Named> {
  const ids = sections.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))
  const known = yield* monitorsNamed(orgId, ids)
  const faults = sections.flatMap(({ monitors }, i) =>
    monitors.flatMap(({ monitorId }, j): Fault[] => {
      if (known.has(monitorId)) return []
      return [{ path: `sections.${i}.monitors.${j}.monitorId`, message: 'is no monitor of this organization' }]
    }),
  )
  return { nums: [...known.values()], faults }
}

/** As many as the faults of a schema are told. */
const MOST_FAULTS = 1_000

export function refuseUnknown({ faults }: Named): void {
  if (faults.length > 0) throw invalid(faults.slice(0, MOST_FAULTS))
}

/** The sections as they are stored, and leave. */
export function sectionsText(sections: readonly Section[]): string {
  return JSON.stringify(
    sections.map(({ name, monitors }) => ({
      name,
      monitors: monitors.map(({ monitorId, displayName }) => ({ monitorId, displayName })),
    })),
  )
}

/** The sections without a monitor; a section that held nothing else stays, empty. */
export function withoutMonitor(sections: readonly Section[], monitorId: string): Section[] {
  return sections.map((section) => ({
    ...section,
    monitors: section.monitors.filter((entry) => entry.monitorId !== monitorId),
  }))
}
