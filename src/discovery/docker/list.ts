import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_MS } from '../../lib/clock.ts'
import { DiscoveryError, type Endpoint, getJson, streamJson } from '../request.ts'
import type { Container } from './map.ts'
import { readContainers } from './read.ts'

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_HOST = 'unix:///var/run/docker.sock'
const TLS_PORT = 2376
const PLAIN_PORT = 2375

/** The Docker API that DOCKER_HOST names, with the TLS variables of the Docker command line. */
export function dockerEndpoint(environment: Environment): Endpoint {
  const address = environment.DOCKER_HOST || DEFAULT_HOST
  const name = `Docker at ${address}`
  const socketPath = /^unix:\/\/(\/.+)$/.exec(address)?.[1]
  if (socketPath !== undefined) return { name, isTls: false, options: { socketPath, headers: { host: 'docker' } } }
  const url = URL.parse(address.replace(/^tcp:/, 'http:'))
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new DiscoveryError(
      `DOCKER_HOST "${address}" is not supported: use unix:///path or tcp://host:port. For ssh, forward the socket with "ssh -L"`,
    )
  }
  const isTls = url.protocol === 'https:' || Boolean(environment.DOCKER_TLS_VERIFY)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (isTls ? TLS_PORT : PLAIN_PORT)
  return { name, isTls, options: { host, port, ...(isTls && credentials(environment.DOCKER_CERT_PATH)) } }
}

function credentials(folder: string | undefined): Endpoint['options'] {
  if (!folder) return {}
  const read = (file: string): Buffer => {
    try {
      return readFileSync(join(folder, file))
    } catch (error) {
      throw new DiscoveryError(`DOCKER_CERT_PATH: ${(error as Error).message}`, { cause: error })
    }
  }
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') }
}

export interface ContainerList {
  readonly containers: readonly Container[]
  /** Containers that could not be read, a sentence each. */
  readonly problems: readonly string[]
  /** The time of the list by the clock of the daemon, for events that follow. */
  readonly atSeconds: number
}

/** All containers, stopped ones too: their monitors must alert. */
export async function listContainers(endpoint: Endpoint, signal: AbortSignal): Promise<ContainerList> {
  const { body, date } = await getJson<unknown>(endpoint, '/containers/json?all=1', signal)
  if (!Array.isArray(body)) throw new DiscoveryError(`${endpoint.name} did not answer with a list of containers`)
  const problems: string[] = []
  const containers = readContainers(body, problems)
  return { containers, problems, atSeconds: Math.floor((Number.isNaN(date) ? Date.now() : date) / SECOND_MS) }
}

/** What happens all the time and changes no label, such as health checks. */
const ignoredActions = /^(exec_|health_status|attach|detach|top|resize|archive|copy|export|commit)/

/** Resolves with true when a container has changed since the list, with false if the daemon ends the stream. */
export async function containersChanged(
  endpoint: Endpoint,
  { atSeconds }: ContainerList,
  signal: AbortSignal,
): Promise<boolean> {
  const filters = encodeURIComponent(JSON.stringify({ type: ['container'] }))
  const path = `/events?since=${atSeconds}&filters=${filters}`
  for await (const event of streamJson(endpoint, path, signal)) {
    const { Action, status } = Object(event) as { readonly Action?: unknown; readonly status?: unknown }
    if (!ignoredActions.test(String(Action ?? status ?? ''))) return true
  }
  return false
}
