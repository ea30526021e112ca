/** The part of the body of `POST /monitors` that discovery writes, with the labels of the monitor. */
export interface MonitorFields {
  readonly name: string
  readonly type: 'HTTP' | 'KEYWORD' | 'PORT'
  readonly url?: string
  readonly host?: string
  readonly port?: number
  readonly keyword?: string
  readonly method?: string
  readonly expectedStatus?: readonly number[]
  readonly verifySsl?: boolean
  readonly intervalSeconds?: number
  readonly timeoutSeconds?: number
  readonly labels: Readonly<Record<string, string>>
}

/** A monitor that a container or an object asks for. */
export interface Found {
  readonly key: string
  /** Undefined if the address is not known now, for example while a container with published ports is stopped. */
  readonly fields: MonitorFields | undefined
}

export interface Findings {
  readonly found: readonly Found[]
  /** What could not be used, a sentence each. */
  readonly problems: readonly string[]
}

/** Texts that identify what is checked, and how. Monitors for which they are equal check the same. */
export function targetOf({ type, url, host, port, keyword, method, expectedStatus }: MonitorFields): string {
  return JSON.stringify([type, url, host, port, keyword, method, expectedStatus])
}
