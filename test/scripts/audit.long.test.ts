import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const script = join(import.meta.dirname, '../../.ci/audit')

/** Runs `.ci/audit` against a registry on this machine. */
async function audit(registry: RequestListener): Promise<{ code: number; lines: string[] }> {
  await using server = createServer(registry)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cache = mkdtempSync(join(tmpdir(), 'pharos-audit-'))
  const { port } = server.address() as AddressInfo
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}`, npm_config_cache: cache }
  try {
    const child = execFile(script, { env })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    const [code] = await once(child, 'close')
    return { code, lines: output.trimEnd().split('\n') }
  } finally {
    server.closeAllConnections()
    rmSync(cache, { recursive: true })
  }
}

/** Knows one vulnerability, of a package that the product uses. */
function registryWith(severity: 'high' | 'moderate' | undefined): RequestListener {
  const advisory = { id: 1, url: 'https://example.com/1', title: 'A flaw', severity, vulnerable_versions: '<=999' }
  return ({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url !== '/-/npm/v1/security/advisories/bulk') response.writeHead(404).end('{}')
    else response.end(JSON.stringify(severity === undefined ? {} : { pino: [advisory] }))
  }
}

test('a package with a known vulnerability fails the audit, and is named', async () => {
  const { code, lines } = await audit(registryWith('high'))
  assert.equal(code, 1)
  assert.ok(lines.some((line) => line.startsWith('pino')))
  assert.equal(lines.at(-1), 'audit: FAILED, packages above have known vulnerabilities')
})

test('no vulnerability, or only lesser ones, pass the audit with one line', async () => {
  for (const severity of [undefined, 'moderate'] as const) {
    assert.deepEqual(await audit(registryWith(severity)), {
      code: 0,
      lines: ['audit: no package has a known vulnerability that is high or critical'],
    })
  }
})

test('a registry that answers no audit requests skips the audit with one line', async () => {
  const skipped = { code: 0, lines: ['audit: SKIPPED, the registry does not answer audit requests'] }
  assert.deepEqual(await audit((_, response) => response.writeHead(405).end()), skipped)
  assert.deepEqual(await audit((_, response) => response.destroy()), skipped)
})
