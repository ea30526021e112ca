import { AnswerTooLarge, DiscoveryError, type Endpoint, getJson, streamJson } from '../request.ts'
import type { ClusterObjects } from './map.ts'
import { type ListName, readObjects } from './read.ts'

/** The lists of the API. Clusters without the Gateway API do not have the optional ones. */
const lists = {
  ingresses: { group: '/apis/networking.k8s.io/v1', isOptional: false },
  httproutes: { group: '/apis/gateway.networking.k8s.io/v1', isOptional: true },
  gateways: { group: '/apis/gateway.networking.k8s.io/v1', isOptional: true },
  services: { group: '/api/v1', isOptional: false },
} as const satisfies Readonly<Record<ListName, object>>
const listNames = Object.keys(lists) as ListName[]

const PAGE_SIZE = 500
/** An object has 1.5 MB at most: those of one namespace must not make the pages of all too large. */
const MIN_PAGE_SIZE = 5
const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** Of one kind. */
const MAX_OBJECTS = 50_000
const MAX_PAGES = MAX_OBJECTS / MIN_PAGE_SIZE
const FORBIDDEN = 403
const NOT_FOUND = 404
const GONE = 410

export interface ClusterList {
  readonly objects: ClusterObjects
  /** Objects that could not be read, a sentence each. */
  readonly problems: readonly string[]
  /** Where to watch each list from. Undefined for lists that the cluster does not have. */
  readonly versions: Readonly<Record<ListName, string | undefined>>
}

/** All objects of a namespace, or of the cluster. */
export async function listObjects(
  endpoint: Endpoint,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<ClusterList> {
  const problems: string[] = []
  const found = await Array.fromAsync(listNames, async (name) => {
    return { name, ...(await listAll(endpoint, name, namespace, signal, problems)) }
  })
  const objects = Object.fromEntries(found.map(({ name, items }) => [name, items]))
  const versions = Object.fromEntries(found.map(({ name, version }) => [name, version]))
  return { objects: objects as unknown as ClusterObjects, problems, versions: versions as ClusterList['versions'] }
}

interface Page {
  readonly metadata?: { readonly resourceVersion?: unknown; readonly continue?: unknown } | null
  readonly items?: unknown
}

async function listAll(
  endpoint: Endpoint,
  name: ListName,
  namespace: string | undefined,
  signal: AbortSignal,
  problems: string[],
): Promise<{ readonly items: readonly unknown[]; readonly version: string | undefined }> {
  const found: (readonly unknown[])[] = []
  let count = 0
  let next = ''
  let size = PAGE_SIZE
  try {
    while (found.length < MAX_PAGES && count <= MAX_OBJECTS) {
      const query = `limit=${size}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`
      const page = await getPage(endpoint, `${pathOf(name, namespace)}?${query}`, signal)
      if (page === 'too large' && size > MIN_PAGE_SIZE) {
        size = Math.max(MIN_PAGE_SIZE, Math.floor(size / 10))
        continue
      }
      if (page === 'too large' || !Array.isArray(page?.items)) {
        const fault = page === 'too large' ? 'its answer is too large' : 'it did not answer with a list'
        throw new DiscoveryError(`${endpoint.name} cannot list ${name}: ${fault}`)
      }
      found.push(readObjects(name, page.items, problems))
      count += page.items.length
      const { continue: token, resourceVersion: version } = page.metadata ?? {}
      next = typeof token === 'string' ? token : ''
      if (next === '') return { items: found.flat(), version: typeof version === 'string' ? version : '0' }
    }
    throw new DiscoveryError(`${endpoint.name} lists more than ${MAX_OBJECTS} ${name}; choose a --namespace`)
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error
    if (error.status === NOT_FOUND && lists[name].isOptional) return { items: [], version: undefined }
    if (error.status !== FORBIDDEN) throw error
    throw new DiscoveryError(`${error.message}. See docs/discovery.md for the rights that are needed`, { cause: error })
  }
}

async function getPage(endpoint: Endpoint, path: string, signal: AbortSignal): Promise<Page | null | 'too large'> {
  try {
    return (await getJson<Page | null>(endpoint, path, signal, MAX_PAGE_BYTES)).body
  } catch (error) {
    if (error instanceof AnswerTooLarge) return 'too large'
    throw error
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
