import { type ChannelName, channels } from './channels/index.ts'
import { type AlertKind, alertKinds } from './types.ts'

/** The name of a kind in the API. */
type KindName = Uppercase<AlertKind>

export const kindNames: readonly KindName[] = alertKinds.map(nameOfKind)

export function nameOfKind<K extends AlertKind>(kind: K): Uppercase<K> {
  return kind.toUpperCase() as Uppercase<K>
}

export function kindNamed(name: KindName): AlertKind {
  return name.toLowerCase() as AlertKind
}

/** Means all kinds, including those of later versions. */
const ALL = '*'

/** The value of `contacts.kinds`: `*`, or the kinds between commas, so that LIKE '%,opened,%' finds one. */
export function storedKinds(channel: ChannelName, kinds: readonly AlertKind[] | undefined): string {
  if (kinds === undefined) return ALL
  const wanted = channels[channel].tracksIncidents ? withEnds(kinds) : kinds
  return `,${alertKinds.filter((kind) => wanted.includes(kind)).join(',')},`
}

export function parseKinds(stored: string): AlertKind[] {
  return alertKinds.filter((kind) => stored === ALL || stored.includes(`,${kind},`))
}

/** A channel that tracks incidents needs the end of each problem, or the incident stays open at the provider. */
function withEnds(kinds: readonly AlertKind[]): readonly AlertKind[] {
  return [
    ...kinds,
    ...(kinds.includes('opened') ? (['resolved'] as const) : []),
    ...(kinds.includes('degraded') ? (['recovered', 'resolved'] as const) : []),
  ]
}
