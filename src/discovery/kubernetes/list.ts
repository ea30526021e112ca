import { DiscoveryError, type Endpoint, getJson, streamJson } from '../request.ts'
import type { ClusterObjects } from './map.ts'

/** The lists of the API. Clusters without the Gateway API do not have the optional ones. */
const lists = {
  ingresses: { group: '/apis/networking.k8s.io/v1', isOptional: false },
  httproutes: { group: '/apis/gateway.networking.k8s.io/v1', isOptional: true },
  gateways: { group: '/apis/gateway.networking.k8s.io/v1', isOptional: true },
  services: { group: '/api/v1', isOptional: false },
} as const
type ListName = keyof typeof lists
const listNames = Object.keys(lists) as ListName[]

const PAGE_SIZE = 500
const FORBIDDEN = 403
const NOT_FOUND = 404
const GONE = 410

export interface ClusterList {
  readonly objects: ClusterObjects
  /** Where to watch each list from. Undefined for lists that the cluster does not have. */
  readonly versions: Readonly<Record<ListName, string | undefined>>
}

/** All objects of a namespace, or of the cluster. */
export async function listObjects(
  endpoint: Endpoint,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<ClusterList> {
  const found = await Array.fromAsync(listNames, async (name) => {
    return { name, ...(await listAll(endpoint, name, namespace, signal)) }
  })
  const objects = Object.fromEntries(found.map(({ name, items }) => [name, items]))
  const versions = Object.fromEntries(found.map(({ name, version }) => [name, version]))
  return { objects: objects as unknown as ClusterObjects, versions: versions as ClusterList['versions'] }
}

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: readonly unknown[]
}

async function listAll(
  endpoint: Endpoint,
  name: ListName,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly items: readonly unknown[]; readonly version: string | undefined }> {
  const items: unknown[] = []
  let next = ''
  try {
    for (;;) {
      const query = `limit=${PAGE_SIZE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`
      const { body } = await getJson<Page>(endpoint, `${pathOf(name, namespace)}?${query}`, signal)
      if (!Array.isArray(body.items)) throw new DiscoveryError(`${endpoint.name} did not answer with a list of ${name}`)
      items.push(...body.items)
      next = body.metadata?.continue ?? ''
      if (next === '') return { items, version: body.metadata?.resourceVersion ?? '0' }
    }
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error
    if (error.status === NOT_FOUND && lists[name].isOptional) return { items: [], version: undefined }
    if (error.status !== FORBIDDEN) throw error
    throw new DiscoveryError(`${error.message}. See docs/discovery.md for the rights that are needed`, { cause: error })
  }
}

function pathOf(name: ListName, namespace: string | undefined): string {
  return `${lists[name].group}${namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/${name}`
}

/** Resolves with true when an object has changed since the list, with false if the API ends a stream. */
export async function objectsChanged(
  endpoint: Endpoint,
  namespace: string | undefined,
  { versions }: ClusterList,
  signal: AbortSignal,
): Promise<boolean> {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const watched = listNames.filter((name) => versions[name] !== undefined)
  const changes = watched.map((name) =>
    listChanged(endpoint, pathOf(name, namespace), versions[name] as string, either),
  )
  try {
    return await Promise.race(changes)
  } finally {
    ending.abort()
    await Promise.allSettled(changes)
  }
}

async function listChanged(endpoint: Endpoint, path: string, version: string, signal: AbortSignal): Promise<boolean> {
  try {
    const query = `watch=1&resourceVersion=${encodeURIComponent(version)}`
    // An event of type ERROR says that the version is too old: a new list is needed, as after a change.
    for await (const _ of streamJson(endpoint, `${path}?${query}`, signal)) return true
    return false
  } catch (error) {
    if (error instanceof DiscoveryError && error.status === GONE) return true
    throw error
  }
}
