import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { clusterConnection } from '../../../src/discovery/kubernetes/connect.ts'
import { listObjects } from '../../../src/discovery/kubernetes/list.ts'
import { ingress, kubeconfig, rule, startCluster, TOKEN } from '../../discovery/kubernetes/cluster.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { CommandLine } from '../../support/command-line.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

/** Runs a plugin that prints a token, and counts how often. */
function plugin(): { command: string; log: string } {
  const folder = emptyDataDir()
  const log = join(folder, 'log')
  const command = join(folder, 'get-token')
  const status = { token: TOKEN, expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() }
  writeFileSync(
    command,
    `#!/bin/sh\necho "$STAGE $KUBERNETES_EXEC_INFO" >> ${log}\necho '${JSON.stringify({ status })}'\n`,
  )
  chmodSync(command, 0o700)
  return { command, log }
}

const never = new AbortController().signal

async function names(path: string): Promise<readonly string[]> {
  const connect = clusterConnection({ ...process.env, KUBECONFIG: path }, { kubeconfig: undefined, context: undefined })
  // Twice, as in a watch.
  await listObjects(await connect(), undefined, never)
  const { objects } = await listObjects(await connect(), undefined, never)
  return objects.ingresses.map(({ metadata }) => metadata.name)
}

describe('pharos discover kubernetes', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  test('signs in with a token, a file, a client certificate or a plugin, and verifies the certificate', async () => {
    await using cluster = await startCluster()
    // Three pages.
    cluster.objects.ingresses = ['a', 'b', 'c', 'd', 'e'].map((name) => ingress(name, { rules: [] }))
    const all = ['a', 'b', 'c', 'd', 'e']
    const tokenFile = join(emptyDataDir(), 'token')
    writeFileSync(tokenFile, `${TOKEN}\n`)
    const { cert, key } = cluster.authority.issue({ hosts: ['discovery'] })
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const { command, log } = plugin()
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, env: [{ name: 'STAGE', value: 'lab' }] }
    assert.deepEqual(await names(kubeconfig(cluster, { token: TOKEN })), all)
    assert.deepEqual(await names(kubeconfig(cluster, { tokenFile })), all)
    const certificate = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }
    assert.deepEqual(await names(kubeconfig(cluster, certificate)), all)
    assert.deepEqual(await names(kubeconfig(cluster, { exec })), all)
    const runs = readFileSync(log, 'utf8').trim().split('\n')
    assert.equal(runs.length, 1, 'the token is kept until it expires')
    assert.match(runs[0] ?? '', /^lab \{"apiVersion":"client.authentication.k8s.io\/v1","kind":"ExecCredential"/)
    await assert.rejects(names(kubeconfig(cluster, { token: 'wrong' })), /answered with 401: Unauthorized/)
    const foreign = kubeconfig(cluster, { token: TOKEN }, makeAuthority('other').cert)
    await assert.rejects(names(foreign), /cannot be reached: /)
    const broken = { exec: { ...exec, command: 'no-such-plugin' } }
    await assert.rejects(
      names(kubeconfig(cluster, broken)),
      /no-such-plugin of the kubeconfig failed: spawn no-such-plugin ENOENT/,
    )
    const provider = { 'auth-provider': { name: 'gcp' } }
    await assert.rejects(names(kubeconfig(cluster, provider)), /auth-provider gcp of the kubeconfig is not supported/)
  })

  test('applies what it finds, without the Gateway API too; a right that is missing changes nothing', async () => {
    await using cluster = await startCluster()
    cluster.missing = ['httproutes', 'gateways']
    cluster.objects.ingresses = [ingress('shop', { rules: [rule('shop.example.com', '/')] }, {})]
    const path = kubeconfig(cluster, { token: TOKEN })
    const run = (...args: string[]) =>
      cli.runWith({ KUBECONFIG: path }, 'discover', 'kubernetes', '--all', '--apply', ...args)
    const first = await run()
    assert.deepEqual([first.code, first.stderr], [0, ''])
    assert.match(first.stdout, /^\+ monitors\.shop-example-com {2}create\n/)
    assert.equal((await run()).stdout, 'No changes. 1 unchanged.\n')
    cluster.forbidden = ['ingresses']
    const refused = await run('--grace', '0s')
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /answered with 403: ingresses is forbidden: .*\. See docs\/discovery\.md for the rights/,
    )
    assert.match(await cli.text('export --source discover-kubernetes'), /shop-example-com/)
    cluster.forbidden = []
    await run('--namespace', 'shop', '--context', 'lab')
    assert.ok(cluster.requests.some((url) => url.startsWith('/apis/networking.k8s.io/v1/namespaces/shop/ingresses?')))
    const wrong = await run('--context', 'prod')
    assert.match(wrong.stderr, /^pharos: The kubeconfig has no context "prod"\. Contexts: lab\n/)
  })
})
