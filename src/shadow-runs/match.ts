import type { ForeignTask } from '../lib/foreign-work.ts'
import { oneLine } from '../lib/text.ts'
import { type PackedMonitors, unpacked } from './read-page.ts'
import { withoutEndSlashes } from './tools/tool.ts'
import type { TheirMonitor } from './verdicts.ts'

const MAX_NAMES = 100

/** An imported monitor. */
export interface OurMonitor {
  readonly num: number
  readonly name: string
  /** In the document that created it. */
  readonly key: string
  readonly address: string | null
}

/** Some monitors for people. */
export interface NamedMonitors {
  readonly total: number
  /** At most MAX_NAMES. */
  readonly names: string[]
}

/** What the other tool says about the monitors that both have. */
export interface Matching {
  /** By the number of our monitor. */
  readonly matched: ReadonlyMap<number, TheirMonitor['state']>
  readonly onlyThere: NamedMonitors
}

interface Given {
  readonly pages: readonly PackedMonitors[]
  readonly ours: readonly OurMonitor[]
}

/** Runs in a thread for foreign text: it compares all names, ids and addresses. */
export const matchPages: ForeignTask<Given, Matching> = {
  name: 'matchPages',
  run({ pages, ours }) {
    const { matched, onlyThere } = matchMonitors(ours, pages.flatMap(unpacked))
    const states = [...matched].map(([num, { state }]) => [num, state] as const)
    return { matched: new Map(states), onlyThere: namedMonitors(onlyThere) }
  },
}

export function namedMonitors(monitors: readonly { readonly name: string }[]): NamedMonitors {
  return { total: monitors.length, names: monitors.slice(0, MAX_NAMES).map(({ name }) => oneLine(name)) }
}

type Signs = (monitor: OurMonitor | TheirMonitor) => readonly string[]

/** Keys are made of the name and the id there, or of the id alone. */
const idOf: Signs = (monitor) => {
  if ('num' in monitor) return [monitor.key, monitor.key.slice(monitor.key.lastIndexOf('-') + 1)]
  const id = monitor.id?.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return id ? [id.replace(/^-|-$/g, '')] : []
}
const namesOf: Signs = (monitor) => ('num' in monitor ? [monitor.name] : [monitor.name, ...(monitor.otherNames ?? [])])
const addressOf: Signs = (monitor) => lowered(monitor.address)

/** Each decides only where it is unique on both sides. Importers keep names, so most monitors are found by theirs. */
const steps: readonly Signs[] = [
  namesOf,
  both(namesOf, idOf),
  both(namesOf, addressOf),
  both(idOf, addressOf),
  addressOf,
]

/** Finds the monitor of the other tool for each imported one. */
export function matchMonitors(ours: readonly OurMonitor[], theirs: readonly TheirMonitor[]) {
  const matched = new Map<number, TheirMonitor>()
  const taken = new Set<TheirMonitor>()
  for (const signs of steps) {
    const onlyHere = ours.filter(({ num }) => !matched.has(num))
    const onlyThere = theirs.filter((monitor) => !taken.has(monitor))
    if (onlyHere.length === 0 || onlyThere.length === 0) break
    const [here, there] = [uniqueBySign(onlyHere, signs), uniqueBySign(onlyThere, signs)]
    for (const [sign, our] of here) {
      const their = there.get(sign)
      if (our === null || !their || matched.has(our.num) || taken.has(their)) continue
      matched.set(our.num, their)
      taken.add(their)
    }
  }
  return { matched, onlyThere: theirs.filter((monitor) => !taken.has(monitor)) }
}

/** Null for a sign that several have. */
function uniqueBySign<M extends OurMonitor | TheirMonitor>(
  monitors: readonly M[],
  signs: Signs,
): ReadonlyMap<string, M | null> {
  const found = new Map<string, M | null>()
  for (const monitor of monitors) {
    for (const sign of new Set(signs(monitor))) found.set(sign, found.has(sign) ? null : monitor)
  }
  return found
}

function both(a: Signs, b: Signs): Signs {
  return (monitor) => a(monitor).flatMap((one) => b(monitor).map((other) => `${one}\n${other}`))
}

function lowered(text: string | null | undefined): readonly string[] {
  return text ? [withoutEndSlashes(text).toLowerCase()] : []
}
