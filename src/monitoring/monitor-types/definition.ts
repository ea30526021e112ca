import type { ProbeTarget, Sample } from '../../contract/probe.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import type { Guard } from '../../outbound/guard.ts'
import type { Reason } from '../../reasons/reason.ts'
import type { Field } from './fields.ts'

/** Everything that tells one monitor type from the others. The API, the checker and the probe threads use it. */
export interface MonitorTypeDefinition {
  /** The name of the type for people, in exports. */
  readonly label: string
  /** Settings that this type brings along. Monitors of all types have them, and other probes may use them. */
  readonly fields?: Readonly<Record<string, Field<unknown>>>
  /** The settings that a monitor of this type must have. */
  readonly required: Readonly<Record<string, RequiredField>>
  /** The probe sends a user name and password of the URL. Other types refuse them. */
  readonly usesCredentialsInUrl?: true
  /** What is checked, as one text; null if there is no target. */
  readonly targetText: (target: MonitorTarget) => string | null
  /** What the date in a sample's `certificate` is about, and whether a near expiry makes the monitor DEGRADED. */
  readonly expiry?: { readonly of: 'certificate' | 'domain'; readonly isDegraded: boolean }
  /** Called once per probe thread. Null if the target reports by itself. */
  readonly createProbe: ((network: ProbeNetwork) => (target: never, signal: AbortSignal) => Promise<Sample>) | null
  /** The settings of a new monitor, for the API reference. */
  readonly example: Readonly<Record<string, unknown>> & { readonly name: string }
}

export type MonitorTarget = Pick<ProbeTarget, 'url' | 'host' | 'port'>

export interface RequiredField {
  /** How the value must look, for the OpenAPI document. */
  readonly documented: object
  /** Why a value can never work; undefined if it may. What only the network can tell is left to the check. */
  readonly faultOf?: (value: string) => Reason | string | undefined
}

/** What probes share in a thread. */
interface ProbeNetwork {
  readonly guard: Guard
  readonly policy: AddressPolicy
  readonly dnsServers: readonly string[]
  readonly rdapBootstrap: string
}

/** Probes a target once. Never throws for what the target does, and settles within `target.timeoutMs`. */
export type Probe<Tools, Target extends ProbeTarget = ProbeTarget> = (
  target: Target,
  tools: Tools,
  signal: AbortSignal,
) => Promise<Sample>

/** What probes that open sockets need. */
export type NetworkTools = Pick<ProbeNetwork, 'guard'>
