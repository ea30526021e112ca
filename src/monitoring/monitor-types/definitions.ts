import { cron } from './cron/definition.ts'
import type { MonitorTypeDefinition } from './definition.ts'
import { dns } from './dns/definition.ts'
import { domain } from './domain/definition.ts'
import { http } from './http/definition.ts'
import { keyword } from './keyword/definition.ts'
import { ping } from './ping/definition.ts'
import { port } from './port/definition.ts'
import { ssl } from './ssl/definition.ts'

/** In the order of the API's documentation. */
const all = {
  HTTP: http,
  KEYWORD: keyword,
  PING: ping,
  PORT: port,
  CRON: cron,
  DNS: dns,
  SSL: ssl,
  DOMAIN: domain,
} satisfies Record<string, MonitorTypeDefinition>

export type MonitorType = keyof typeof all

export const definitions: Readonly<Record<MonitorType, MonitorTypeDefinition>> = all

export const monitorTypes = Object.keys(all) as MonitorType[]

type Members<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never
type FieldsOf<D> = D extends { fields: infer F } ? F : never
type TargetOf<D> = D extends { createProbe(network: never): (target: infer T, signal: AbortSignal) => unknown }
  ? T
  : never

/** The settings that types bring along. */
export const typeFields = Object.assign({}, ...Object.values(definitions).map(({ fields }) => fields)) as Members<
  FieldsOf<(typeof all)[MonitorType]>
>

/** What the probes of all types need. */
export type FullTarget = Members<TargetOf<(typeof all)[MonitorType]>>

/** The types whose definition fulfils a condition: "PING, PORT". */
export function typesWhere(condition: (definition: MonitorTypeDefinition) => boolean): MonitorType[] {
  return monitorTypes.filter((type) => condition(definitions[type]))
}
