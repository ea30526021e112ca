import { cron } from './cron/definition.ts'
import type { Intersection, MonitorTypeDefinition } from './definition.ts'
import { dns } from './dns/definition.ts'
import { domain } from './domain/definition.ts'
import { http } from './http/definition.ts'
import { keyword } from './keyword/definition.ts'
import { ping } from './ping/definition.ts'
import { port } from './port/definition.ts'
import { ssl } from './ssl/definition.ts'

/** All monitor types, in the order of the API's documentation. */
export const definitions = {
  HTTP: http,
  KEYWORD: keyword,
  PING: ping,
  PORT: port,
  CRON: cron,
  DNS: dns,
  SSL: ssl,
  DOMAIN: domain,
} satisfies Record<string, MonitorTypeDefinition>

export type MonitorType = keyof typeof definitions

type TargetOf<D> = D extends { createProbe(network: never): (target: infer T, signal: AbortSignal) => unknown }
  ? T
  : never

/** What the probes of all types need. */
export type FullTarget = Intersection<TargetOf<(typeof definitions)[MonitorType]>>

export const monitorTypes = Object.keys(definitions) as MonitorType[]

/** The types whose definition fulfils a condition: "PING, PORT". */
export function typesWhere(condition: (definition: MonitorTypeDefinition) => boolean): MonitorType[] {
  return monitorTypes.filter((type) => condition(definitions[type]))
}
