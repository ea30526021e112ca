import { containersChanged, dockerEndpoint, listContainers } from '../../discovery/docker/list.ts'
import { mapContainers } from '../../discovery/docker/map.ts'
import type { Findings } from '../../discovery/found.ts'
import { type ClusterChoice, clusterConnection } from '../../discovery/kubernetes/connect.ts'
import { listObjects, objectsChanged } from '../../discovery/kubernetes/list.ts'
import { mapObjects } from '../../discovery/kubernetes/map.ts'
import type { Environment } from '../../server/config/read-files.ts'

/** What was found, and how to wait for a change. */
export interface Listing extends Findings {
  /** Resolves with true when something has changed since, with false if the stream of events ended. */
  changed(signal: AbortSignal): Promise<boolean>
}

export type List = (signal: AbortSignal) => Promise<Listing>

/** `host` is the name by which the Pharos server reaches this Docker host. */
export function docker(environment: Environment, host: string | undefined): List {
  const endpoint = dockerEndpoint(environment)
  return async (signal) => {
    const list = await listContainers(endpoint, signal)
    return {
      ...explained(
        withProblems(mapContainers(list.containers, host), list.problems),
        'No container has the label pharos.http or pharos.tcp',
      ),
      changed: (ending) => containersChanged(endpoint, list, ending),
    }
  }
}

const NO_ANNOTATION = 'No Ingress, HTTPRoute or Service has the annotation pharos.io/enabled'
const NO_HOST = 'No Ingress or HTTPRoute has a host'

/** Says why nothing was found. */
function explained({ found, problems }: Findings, reason: string): Findings {
  return { found, problems: found.length === 0 ? [...problems, reason] : problems }
}

function withProblems({ found, problems }: Findings, more: readonly string[]): Findings {
  return { found, problems: [...more, ...problems] }
}

export interface ClusterOptions extends ClusterChoice {
  readonly namespace: string | undefined
  /** Whether an Ingress or HTTPRoute needs no annotation. */
  readonly all: boolean
}

export function kubernetes(environment: Environment, { namespace, all, ...choice }: ClusterOptions): List {
  const connect = clusterConnection(environment, choice)
  return async (signal) => {
    const endpoint = await connect()
    const list = await listObjects(endpoint, namespace, signal)
    return {
      ...explained(withProblems(mapObjects(list.objects, all), list.problems), all ? NO_HOST : NO_ANNOTATION),
      changed: (ending) => objectsChanged(endpoint, namespace, list, ending),
    }
  }
}
