import { after, before } from 'node:test'
import type { PlanName } from '../../src/accounts/plans/plans.ts'
import { Contract, expectConforms, publicContract } from './conformance.ts'
import type { Engine } from './engines.ts'
import {
  type Client,
  clientOf,
  clientSending,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from './server.ts'

/** An organization of its own, with a client for its full-access key. */
export interface Tenant {
  readonly orgId: string
  readonly key: string
  readonly client: Client
  /** A client with a new read-only key of this organization. */
  reader(): Promise<Client>
}

export interface Api {
  readonly engine: Engine
  readonly server: TestServer
  readonly contract: Contract
  /** A client that sends these headers with every request and checks every response against the contract. */
  clientWith(headers: Record<string, string>): Client
  clientOf(key: string): Client
  tenant(plan?: PlanName): Promise<Tenant>
}

/** A server for the tests of the suite. */
export function useApi(engine: Engine, options: TestServerOptions = {}): Api {
  let api: Api | undefined
  before(async () => {
    api = await startApi(engine, options)
  })
  after(() => api?.server.stop())
  const started = (): Api => {
    if (api === undefined) throw new Error('The server of this suite has not started')
    return api
  }
  return {
    engine,
    get server() {
      return started().server
    },
    get contract() {
      return started().contract
    },
    clientWith: (headers) => started().clientWith(headers),
    clientOf: (key) => started().clientOf(key),
    tenant: (plan) => started().tenant(plan),
  }
}

/** A server with the role `api` only: no background checks change monitors. */
export async function startApi(engine: Engine, options: TestServerOptions = {}): Promise<Api> {
  const server = await startTestServer(engine, { ...options, env: { PHAROS_ROLES: 'api', ...options.env } })
  const contract = options.operations === undefined ? publicContract : Contract.of(options.operations)
  const clientWith = (headers: Record<string, string>): Client => checked(clientOf(server.url, headers), contract)
  const clientOfKey = (key: string): Client => clientWith({ 'x-api-key': key })
  return {
    engine,
    server,
    contract,
    clientWith,
    clientOf: clientOfKey,
    async tenant(plan = 'SELF_HOSTED') {
      const { orgId, key } = await server.organization(plan)
      const reader = async () => clientOfKey((await server.makeKey(orgId, 'read-only')).key)
      return { orgId, key, client: clientOfKey(key), reader }
    },
  }
}

/** The same client; it checks every response against the contract. */
function checked(client: Client, contract: Contract): Client {
  return clientSending(async (method, path, body, headers) => {
    const answer = await client.send(method, path, body, headers)
    expectConforms(answer, { method, path }, contract)
    return answer
  })
}
