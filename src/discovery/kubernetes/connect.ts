import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { MINUTE_MS } from '../../lib/clock.ts'
import { DiscoveryError, type Endpoint } from '../request.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ClusterChoice {
  /** Of the option --kubeconfig. */
  readonly kubeconfig: string | undefined
  /** Of the option --context. */
  readonly context: string | undefined
}

/** Makes an endpoint for every list, because tokens expire. */
export type Connect = () => Promise<Endpoint>

/** The cluster that this process runs in, unless a kubeconfig or a context is named; otherwise that of the kubeconfig. */
export function clusterConnection(environment: Environment, { kubeconfig, context }: ClusterChoice): Connect {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443', KUBECONFIG, HOME } = environment
  const isInCluster = Boolean(host) && kubeconfig === undefined && context === undefined && !KUBECONFIG
  if (isInCluster) return async () => serviceAccount(String(host), Number(port))
  const files = (kubeconfig ?? KUBECONFIG ?? '').split(delimiter).filter(Boolean)
  if (files.length === 0) files.push(join(HOME || homedir(), '.kube', 'config'))
  return fromConfig(readConfig(files), context, environment)
}

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

function serviceAccount(host: string, port: number): Endpoint {
  const token = readText(join(ACCOUNT_FOLDER, 'token'))
  const ca = readText(join(ACCOUNT_FOLDER, 'ca.crt'))
  return { name: 'Kubernetes', isTls: true, options: { host, port, ca, headers: bearer(token) } }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token.trim()}` }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new DiscoveryError(`Cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
}

interface Cluster {
  readonly server?: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
}

interface ExecPlugin {
  readonly command: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly apiVersion: string
}

interface User {
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly exec?: ExecPlugin
  readonly 'auth-provider'?: { readonly name?: string }
}

/** A part of the configuration, and the folder of its file, to which paths in it are relative. */
interface Part<T> {
  readonly value: T
  readonly folder: string
}

interface Config {
  readonly currentContext: string | undefined
  readonly contexts: ReadonlyMap<string, Part<{ readonly cluster?: string; readonly user?: string }>>
  readonly clusters: ReadonlyMap<string, Part<Cluster>>
  readonly users: ReadonlyMap<string, Part<User>>
}

interface ConfigFile {
  readonly 'current-context'?: string
  readonly contexts?: readonly { readonly name: string; readonly context: object }[] | null
  readonly clusters?: readonly { readonly name: string; readonly cluster: Cluster }[] | null
  readonly users?: readonly { readonly name: string; readonly user: User }[] | null
}

/** Of several files the first one that has a name wins, as for kubectl. */
function readConfig(paths: readonly string[]): Config {
  const existing = paths.filter((path) => existsSync(path))
  if (existing.length === 0) {
    throw new DiscoveryError(
      `${paths.join(', ')} does not exist. Set KUBECONFIG or --kubeconfig, or run this in the cluster`,
    )
  }
  const files = existing.map((path) => ({ folder: dirname(resolve(path)), content: parseConfig(path) }))
  const named = <T>(select: (file: ConfigFile) => readonly (readonly [string, T])[]): ReadonlyMap<string, Part<T>> =>
    new Map(
      files
        .flatMap(({ folder, content }) => select(content).map(([name, value]) => [name, { value, folder }] as const))
        .reverse(),
    )
  return {
    currentContext: files.map(({ content }) => content['current-context']).find(Boolean),
    contexts: named((file) => (file.contexts ?? []).map(({ name, context }) => [name, context] as const)),
    clusters: named((file) => (file.clusters ?? []).map(({ name, cluster }) => [name, cluster] as const)),
    users: named((file) => (file.users ?? []).map(({ name, user }) => [name, user] as const)),
  }
}

function parseConfig(path: string): ConfigFile {
  try {
    return (parse(readText(path)) ?? {}) as ConfigFile
  } catch (error) {
    if (error instanceof DiscoveryError) throw error
    throw new DiscoveryError(`${path} is not a kubeconfig: ${(error as Error).message}`, { cause: error })
  }
}

function fromConfig(config: Config, wanted: string | undefined, environment: Environment): Connect {
  const name = wanted ?? config.currentContext
  const context = name === undefined ? undefined : config.contexts.get(name)?.value
  if (context === undefined) {
    const names = [...config.contexts.keys()].join(', ') || 'none'
    throw new DiscoveryError(`The kubeconfig has no context "${name ?? ''}". Contexts: ${names}`)
  }
  const cluster = config.clusters.get(context.cluster ?? '')
  if (cluster?.value.server === undefined) {
    throw new DiscoveryError(`The kubeconfig has no cluster "${context.cluster ?? ''}" with a server`)
  }
  const { value, folder } = cluster
  const url = URL.parse(String(value.server))
  if (url === null) throw new DiscoveryError(`The server "${value.server}" of the kubeconfig is not an address`)
  if (value['proxy-url']) throw new DiscoveryError('proxy-url of the kubeconfig is not supported')
  const ca = dataOf(value['certificate-authority-data'], value['certificate-authority'], folder)
  const credentials = credentialsOf(config.users.get(context.user ?? ''), environment)
  return async () => {
    const { headers, cert, key } = await credentials()
    return {
      name: `Kubernetes at ${url.host}`,
      isTls: url.protocol === 'https:',
      basePath: url.pathname.replace(/\/$/, ''),
      options: {
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
        headers,
        ca,
        cert,
        key,
        servername: value['tls-server-name'],
        ...(value['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
      },
    }
  }
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly cert?: string | Buffer | undefined
  readonly key?: string | Buffer | undefined
}

function credentialsOf(user: Part<User> | undefined, environment: Environment): () => Promise<Credentials> {
  if (user === undefined) return async () => ({ headers: {} })
  const { value, folder } = user
  if (value['auth-provider'] !== undefined) {
    throw new DiscoveryError(
      `auth-provider ${value['auth-provider'].name ?? ''} of the kubeconfig is not supported: use a token, a certificate or exec`,
    )
  }
  if (value.exec !== undefined) return execCredentials(value.exec, folder, environment)
  const cert = dataOf(value['client-certificate-data'], value['client-certificate'], folder)
  const key = dataOf(value['client-key-data'], value['client-key'], folder)
  return async () => ({ headers: headersOf(value, folder), cert, key })
}

function headersOf({ token, tokenFile, username, password }: User, folder: string): Record<string, string> {
  if (token) return bearer(token)
  if (tokenFile) return bearer(readText(resolve(folder, tokenFile)))
  if (!username) return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` }
}

function dataOf(base64: string | undefined, path: string | undefined, folder: string): Buffer | string | undefined {
  if (base64) return Buffer.from(base64, 'base64')
  return path ? readText(resolve(folder, path)) : undefined
}

const PLUGIN_TIMEOUT_MS = MINUTE_MS

interface ExecCredential {
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

/** Runs the program that makes credentials, such as "aws eks get-token", and keeps them until a minute before they expire. */
function execCredentials(plugin: ExecPlugin, folder: string, environment: Environment): () => Promise<Credentials> {
  let kept: Credentials | undefined
  let expiresAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (kept !== undefined && Date.now() < expiresAt - MINUTE_MS) return kept
    const { status = {} } = await runPlugin(plugin, folder, environment)
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status
    if (!token && !cert) throw new DiscoveryError(`${plugin.command} of the kubeconfig returned no credentials`)
    kept = { headers: token ? bearer(token) : {}, cert, key }
    expiresAt = expirationTimestamp === undefined ? Number.NEGATIVE_INFINITY : Date.parse(expirationTimestamp)
    return kept
  }
}

async function runPlugin(plugin: ExecPlugin, folder: string, environment: Environment): Promise<ExecCredential> {
  const { command, args, env, apiVersion } = plugin
  // A name with a slash is relative to the kubeconfig; others are searched in PATH.
  const file = command.includes('/') ? resolve(folder, command) : command
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } })
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]))
  try {
    const { stdout } = await promisify(execFile)(file, [...(args ?? [])], {
      env: { ...environment, ...own, KUBERNETES_EXEC_INFO: info },
      timeout: PLUGIN_TIMEOUT_MS,
    })
    return JSON.parse(stdout) as ExecCredential
  } catch (error) {
    const [line = ''] = (error as Error).message.trim().split('\n')
    throw new DiscoveryError(`${command} of the kubeconfig failed: ${line}`, { cause: error })
  }
}
