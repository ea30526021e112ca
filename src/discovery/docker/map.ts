import { MAX_LABEL_VALUE_CHARS } from '../../lib/selector.ts'
import { type Findings, type Found, type MonitorFields, targetOf } from '../found.ts'
import { keyOf } from '../keys.ts'
import { fieldsOf, httpTarget, type MonitorSettings, type Report, readSettings, tcpTarget } from '../settings.ts'

/** What `GET /containers/json` says about a container. */
export interface Container {
  readonly Id: string
  readonly Names: readonly string[]
  readonly Labels: Readonly<Record<string, string>> | null
  /** `running`, `exited`, `created` and so on. */
  readonly State: string
  readonly Ports:
    | readonly { readonly PrivatePort: number; readonly PublicPort?: number; readonly Type: string }[]
    | null
  readonly HostConfig?: { readonly NetworkMode?: string }
}

const PREFIX = 'pharos.'

/**
 * The monitors that the labels of containers describe. With `host`, the name of the Docker host, a port means the published one;
 * without, containers are reached by their names.
 */
export function mapContainers(containers: readonly Container[], host: string | undefined): Findings {
  const problems: string[] = []
  const found = new Map<string, Found>()
  for (const container of inOrder(containers)) {
    for (const { key, replicaKey, fields } of monitorsOf(container, host, problems)) {
      const other = found.get(key)
      if (other === undefined) found.set(key, { key, fields })
      else if (fields === undefined || isOwnTarget(container, fields, other)) {
        const name = fields && `${fields.name} ${replicaOf(container)}`
        found.set(replicaKey, { key: replicaKey, fields: fields && { ...fields, name: name as string } })
      }
    }
  }
  return { found: [...found.values()], problems: [...new Set(problems)] }
}

/** Replicas of a service share a monitor, unless each has an address of its own. Stopped ones may have the labels of an older version. */
function isOwnTarget({ State }: Container, fields: MonitorFields, { fields: other }: Found): boolean {
  return State === 'running' && (other === undefined || targetOf(fields) !== targetOf(other))
}

interface Replica extends Found {
  /** For a replica with an address of its own. */
  readonly replicaKey: string
}

function monitorsOf(container: Container, host: string | undefined, problems: string[]): Replica[] {
  const { Labels } = container
  const labels = Labels ?? {}
  // "docker compose run" starts a second container of the service.
  if (labels['com.docker.compose.oneoff'] === 'True') return []
  const { parts, alias, tags } = identityOf(container)
  const report = (problem: string): void => void problems.push(`${parts.join('/')}: ${problem}`)
  const { enabled, monitors } = readSettings(labels, PREFIX, report)
  if (enabled === false) return []
  return monitors.flatMap(({ suffix, values }): Replica[] => {
    const keys = { key: keyOf(...parts, suffix), replicaKey: keyOf(...parts, suffix, replicaOf(container)) }
    const target = targetIn({ suffix, values }, container, host, alias, report)
    if (target === undefined) return []
    if (target === 'unknown') return [{ ...keys, fields: undefined }]
    const name = [...parts, suffix].filter(Boolean).join(' ')
    return [{ ...keys, fields: { ...fieldsOf(values, name, tags, report), ...target } }]
  })
}

interface Identity {
  /** What stays the same when the container is created again. */
  readonly parts: readonly string[]
  /** The name by which other containers of its network reach it. */
  readonly alias: string
  readonly tags: Readonly<Record<string, string>>
}

function identityOf(container: Container): Identity {
  const labels = container.Labels ?? {}
  const { 'com.docker.compose.project': project, 'com.docker.compose.service': service } = labels
  if (project && service) return { parts: [project, service], alias: service, tags: tagsOf({ project, service }) }
  const swarmService = labels['com.docker.swarm.service.name']
  if (swarmService) return { parts: [swarmService], alias: swarmService, tags: tagsOf({ service: swarmService }) }
  const name = nameOf(container)
  return { parts: [name], alias: name, tags: {} }
}

function tagsOf(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, value.slice(0, MAX_LABEL_VALUE_CHARS)]))
}

/** Links add names such as `/web/db`. */
function nameOf({ Id, Names }: Container): string {
  const names = Names.map((name) => name.replace(/^\//, '')).filter((name) => !name.includes('/'))
  return names.sort()[0] ?? Id.slice(0, 12)
}

function replicaOf(container: Container): string {
  return container.Labels?.['com.docker.compose.container-number'] ?? nameOf(container)
}

/** What runs comes first, then by name and number. */
function inOrder(containers: readonly Container[]): Container[] {
  const rank = ({ State }: Container): number => (State === 'running' ? 0 : 1)
  const text = (container: Container): string => [...identityOf(container).parts, replicaOf(container)].join('/')
  return [...containers].sort(
    (a, b) => rank(a) - rank(b) || text(a).localeCompare(text(b), 'en', { numeric: true }) || (a.Id < b.Id ? -1 : 1),
  )
}

type Target = Pick<MonitorFields, 'type' | 'url' | 'host' | 'port'>

/** `unknown` while the container publishes no ports because it is stopped. */
function targetIn(
  { suffix, values }: MonitorSettings,
  container: Container,
  host: string | undefined,
  alias: string,
  report: Report,
): Target | 'unknown' | undefined {
  const at = `${PREFIX}${suffix === '' ? '' : `${suffix}.`}`
  const { http, tcp = '', keyword } = values
  const [, privatePort, path = '/'] = /^:?(\d{1,5})(\/.*)?$/.exec(http ?? tcp) ?? []
  if (privatePort === undefined) {
    const fault = (problem: string): void => report(`${at}${http === undefined ? 'tcp' : 'http'}: ${problem}`)
    return http === undefined ? tcpTarget(tcp, fault) : httpTarget(http, keyword, fault)
  }
  const port = host === undefined ? Number(privatePort) : publishedPort(container, Number(privatePort))
  if (port === undefined) {
    if ((container.Ports ?? []).length === 0) return 'unknown'
    report(`publishes no port for ${privatePort}, which ${at}${http === undefined ? 'tcp' : 'http'} needs with --host`)
    return undefined
  }
  const name = host ?? alias
  if (http === undefined) return { type: 'PORT', host: name, port }
  return httpTarget(`http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`, keyword, report)
}

function publishedPort({ Ports, HostConfig }: Container, privatePort: number): number | undefined {
  if (HostConfig?.NetworkMode === 'host') return privatePort
  return Ports?.find((port) => port.PrivatePort === privatePort && port.Type === 'tcp' && port.PublicPort)?.PublicPort
}
