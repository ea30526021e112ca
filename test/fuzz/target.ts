import type { Engine } from '../../src/storage/database.ts'
import { type Contract, publicContract } from '../support/conformance.ts'
import { oneOfEachEnv } from '../support/one-of-each.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type DescribedOperation, operationsOf } from './schema.ts'

const QUOTA = 1_000_000

/** The server that is fuzzed, and the operations of its document. */
export interface FuzzTarget extends AsyncDisposable {
  readonly port: number
  readonly server: TestServer
  readonly operations: readonly DescribedOperation[]
  readonly contract: Contract
}

export async function startFuzzTarget(engine: Engine): Promise<FuzzTarget> {
  const env = {
    PHAROS_RATE_LIMIT: `${QUOTA}`,
    // No checker, because fuzzed monitors have random targets. Other lookups stay on loopback.
    PHAROS_ROLES: 'api',
    ...oneOfEachEnv,
  }
  const server = await startTestServer(engine, { env })
  return {
    port: Number(new URL(server.url).port),
    server,
    // Imports begin with files, not JSON.
    operations: operationsOf(publicContract.document).filter(({ path }) => !path.includes('/imports')),
    contract: publicContract,
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
