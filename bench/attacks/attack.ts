import type { Scene, Tenant } from './scene.ts'

export const ATTACKER_ADDRESS = '127.0.0.2'

/** The scene, the address of the server, and of the attackers' own host. */
export type AttackedScene = Scene & { readonly origin: string; readonly foreignUrl: string }

export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Received {
  /** 0 if the connection was closed. */
  readonly status: number
  readonly text: string
}

/** Sends a request from the attackers' address. */
export interface Send {
  (request: Sent): Promise<number>
  /** The same, with the text of the answer. */
  readonly read: (request: Sent) => Promise<Received>
}

export interface Attack {
  readonly name: string
  readonly parallel: number
  /** Makes what it sends, before the attacks begin. */
  readonly prepare?: () => void
  /** One step of one of the parallel attackers. Returns the status of an answer. */
  readonly step: (send: Send, scene: AttackedScene, attacker: number, step: number) => Promise<number>
}

export function keyOf({ keys }: Tenant, i: number): Readonly<Record<string, string>> {
  return { 'x-api-key': keys[i % keys.length] as string }
}
