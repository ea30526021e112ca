import type { Fault } from '../../contract/errors.ts'
import { monitorsNamed } from '../../monitoring/monitors/queries.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Section } from './schema.ts'

/** The numbers of the monitors in all sections, and a fault for every unknown monitor. */
interface SectionMonitors {
  readonly nums: readonly number[]
  readonly faults: readonly Fault[]
}

/** Locks the monitors until the end of the transaction, so that they cannot be deleted meanwhile. */
export function* lockMonitorsIn(orgId: string, sections: readonly Section[]): DbWork<SectionMonitors> {
  const ids = sections.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))
  const numsById = yield* monitorsNamed(orgId, ids)
  const faults = sections.flatMap(({ monitors }, i) =>
    monitors.flatMap(({ monitorId }, j): Fault[] => {
      if (numsById.has(monitorId)) return []
      return [{ path: `sections.${i}.monitors.${j}.monitorId`, message: 'is not a monitor of this organization' }]
    }),
  )
  return { nums: [...numsById.values()], faults }
}

/** The JSON that is stored and returned by the API. */
export function serializeSections(sections: readonly Section[]): string {
  return JSON.stringify(
    sections.map(({ name, monitors }) => ({
      name,
      monitors: monitors.map(({ monitorId, displayName }) => ({ monitorId, displayName })),
    })),
  )
}

/** Removes monitors from every section; a section that becomes empty stays. */
export function withoutMonitors(sections: readonly Section[], monitorIds: ReadonlySet<string>): Section[] {
  return sections.map((section) => ({
    ...section,
    monitors: section.monitors.filter((entry) => !monitorIds.has(entry.monitorId)),
  }))
}
