import type { TheirMonitor } from './verdicts.ts'

/** An imported monitor. */
export interface OurMonitor {
  readonly num: number
  readonly name: string
  /** In the document that created it. */
  readonly key: string
  /** Read only if the name does not decide. */
  readonly address: () => string | null
}

export interface Matching<M extends OurMonitor> {
  /** By the number of our monitor. */
  readonly matched: ReadonlyMap<number, TheirMonitor>
  readonly onlyThere: readonly TheirMonitor[]
  readonly onlyHere: readonly M[]
}

type Signs = (monitor: OurMonitor | TheirMonitor) => readonly string[]

/** Keys are made of the name and the id there, or of the id alone. */
const idOf: Signs = (monitor) => {
  if ('num' in monitor) return [monitor.key, monitor.key.slice(monitor.key.lastIndexOf('-') + 1)]
  const id = monitor.id?.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return id ? [id.replace(/^-|-$/g, '')] : []
}
const namesOf: Signs = (monitor) => ('num' in monitor ? [monitor.name] : [monitor.name, ...(monitor.otherNames ?? [])])
const addressOf: Signs = (monitor) => lowered('num' in monitor ? monitor.address() : monitor.address)

/** Each decides only where it is unique on both sides. Importers keep names, so most monitors are found by theirs. */
const steps: readonly Signs[] = [
  namesOf,
  both(namesOf, idOf),
  both(namesOf, addressOf),
  both(idOf, addressOf),
  addressOf,
]

/** Finds the monitor of the other tool for each imported one. */
export function matchMonitors<M extends OurMonitor>(ours: readonly M[], theirs: readonly TheirMonitor[]): Matching<M> {
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
  return {
    matched,
    onlyThere: theirs.filter((monitor) => !taken.has(monitor)),
    onlyHere: ours.filter(({ num }) => !matched.has(num)),
  }
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
  return text ? [text.toLowerCase().replace(/\/+$/, '')] : []
}
