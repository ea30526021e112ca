import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Installation } from '../../src/contract/operation.ts'
import { createSealer } from '../../src/lib/seal.ts'

export const testSealer = createSealer([Buffer.alloc(32, 7)])

/** An installation without a server, for tests that call an operation's handler. It runs no probes. */
export function bareInstallation(baseUrl: string): Installation {
  return {
    baseUrl,
    runProbe: () => Promise.reject(new Error('No probes run here')),
    queryDns: () => Promise.reject(new Error('Nobody is asked')),
    foreign: { run: () => Promise.reject(new Error('No threads run here')), close: async () => undefined },
    uploadFolder: join(tmpdir(), 'pharos-uploads'),
    targetPolicy: 'deny',
    requiresDomainProof: false,
    confirmDelaysSeconds: [],
    sealer: testSealer,
    transports: {
      post: () => Promise.reject(new Error('Nothing is sent here')),
      mail: undefined,
    },
    countUse: () => 0,
    refusals: () => ({ count: () => {} }),
    runApart: () => {},
    queueMail: undefined,
    missingMailVariables: [],
    webhooks: { policy: 'deny', maxAttempts: 8 },
  }
}
