import { asciiWords } from '../../publishing/status-pages/slug.ts'
import { numberOf, type Row, type Tables, textOf } from './tables.ts'

export type Groups = ReturnType<typeof createGroups>

/** Kuma allows deeper ones, but nobody needs a loop to end there. */
const MAX_DEPTH = 50

/** The groups of a Kuma, which are monitors that others have as their parent, and the names of all monitors. */
export function createGroups({ monitor: monitors }: Tables) {
  const byId = new Map(monitors.map((row) => [numberOf(row, 'id') ?? 0, row]))
  const children = Map.groupBy(monitors, (row) => numberOf(row, 'parent'))
  const isGroup = (id: number) => textOf(byId.get(id) ?? {}, 'type') === 'group'
  const parentOf = (row: Row) => byId.get(numberOf(row, 'parent') ?? -1)

  /** The groups around a monitor, the innermost first. A damaged file may have a loop. */
  function around(row: Row): readonly Row[] {
    const found: Row[] = []
    for (let at = parentOf(row); at !== undefined && found.length < MAX_DEPTH; at = parentOf(at)) found.push(at)
    return found
  }

  function monitorsIn(id: number, depth = 0): number[] {
    if (!isGroup(id)) return [id]
    if (depth > MAX_DEPTH) return []
    return (children.get(id) ?? []).flatMap((row) => monitorsIn(numberOf(row, 'id') ?? 0, depth + 1))
  }

  const labelValue = (row: Row) => asciiWords(textOf(row, 'name')).slice(0, 63) || `group-${numberOf(row, 'id')}`

  return {
    isGroup,
    /** The ids of the monitors inside, also inside of inner groups. Of a monitor: itself. */
    monitorsIn: (id: number): readonly number[] => [...new Set(monitorsIn(id))],
    nameOf: (id: number) => textOf(byId.get(id) ?? {}, 'name'),
    /** Whether it or a group around it is paused. */
    isPaused: (row: Row) => [row, ...around(row)].some((one) => numberOf(one, 'active') === 0),
    labelsOf(row: Row): Record<string, string> {
      const [group, parent] = around(row)
      return {
        ...(group !== undefined && { group: labelValue(group) }),
        ...(parent !== undefined && { 'parent-group': labelValue(parent) }),
      }
    },
    /** `group=databases` */
    labelText: (id: number) => `group=${labelValue(byId.get(id) ?? {})}`,
  }
}
