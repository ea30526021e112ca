import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { container, startDocker } from '../../discovery/docker/daemon.ts'
import { ingress, kubeconfig, rule, startCluster, TOKEN } from '../../discovery/kubernetes/cluster.ts'
import { CommandLine } from '../../support/command-line.ts'
import { eventually } from '../../support/eventually.ts'
import { BOOTSTRAP_KEY } from '../../support/server.ts'

const program = join(import.meta.dirname, '../../../bin/pharos.js')

function start(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [program, ...args], { env: { PATH, HOME, ...env } })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  return {
    output,
    async stop(): Promise<number | null> {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

describe('pharos discover --watch --apply', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  /** Name and labels of the monitors that the source manages, by key, and their ids. */
  async function managed(source: string) {
    const { monitors = {} } = await cli.json(`export --source ${source}`)
    return monitors as Record<string, { name: string; url?: string; labels?: Record<string, string> }>
  }

  test('containers: a restart or a new name keeps the monitor, and it is released after the grace period', async () => {
    await using docker = await startDocker()
    const web = container('web', { 'pharos.http': 'https://web.example.com' })
    docker.containers.set('other', container('other', { 'pharos.tcp': 'other.example.com:5432' }))
    const env = { PHAROS_URL: cli.server.url, PHAROS_API_KEY: BOOTSTRAP_KEY, DOCKER_HOST: docker.host }
    const discovery = start(env, 'discover', 'docker', '--watch', '--apply')
    const keys = async () => Object.keys(await managed('discover-docker'))
    const has = (...expected: string[]) => eventually(async () => assert.deepEqual(await keys(), expected))
    const ids = async () => (await cli.json('monitors list')).data.map(({ id }: { id: string }) => id).sort()
    await has('other')

    docker.emit('start', (all) => all.set('web', web))
    await has('other', 'web')
    const created = await ids()

    docker.emit('die', (all) => all.set('web', { ...web, State: 'exited', Status: 'Exited (137) 1 second ago' }))
    docker.emit('start', (all) => all.set('web', { ...web, Id: 'f'.repeat(64) }))
    docker.emit('rename', (all) => all.set('web', { ...web, Names: ['/site'] }))
    await has('other', 'site')
    assert.deepEqual(await ids(), created, 'the same monitors')

    docker.emit('die', (all) => all.set('web', { ...web, Names: ['/site'], State: 'exited' }))
    docker.emit('destroy', (all) => all.delete('web'))
    const site = async () => (await managed('discover-docker')).site
    await eventually(async () => assert.ok((await site())?.labels?.['missing-since']))
    docker.emit('start', (all) => all.set('web', { ...web, Names: ['/site'] }))
    await eventually(async () => assert.equal((await site())?.labels, undefined))

    docker.fail(500, '{"message":"the daemon is restarting"}')
    await eventually(async () => assert.match(discovery.output.stderr, /restarting\. Trying again/))
    docker.recover()
    await eventually(async () => assert.match(discovery.output.stderr, /Works again/))
    assert.deepEqual(await keys(), ['other', 'site'])

    docker.emit('destroy', (all) => all.delete('web'))
    await eventually(async () => assert.ok((await site())?.labels?.['missing-since']))
    assert.equal(await discovery.stop(), 0)

    await cli.runWith(env, 'discover', 'docker', '--apply', '--grace', '0s')
    assert.deepEqual(await keys(), ['other'])
    assert.deepEqual(await ids(), created, 'released, not deleted')

    docker.containers.set('web', { ...web, Names: ['/site'] })
    await cli.runWith(env, 'discover', 'docker', '--apply')
    assert.deepEqual(await keys(), ['other', 'site'])
    assert.deepEqual(await ids(), created, 'adopted, not doubled')
    assert.equal((await site())?.labels, undefined)
  })

  test('routes: changes are applied, also after the version of the list is too old', async () => {
    await using cluster = await startCluster()
    const routes = (...hosts: string[]) => hosts.map((host) => ingress(host, { rules: [rule(host, '/')] }))
    cluster.change('ingresses', routes('a.example.com'))
    const env = { PHAROS_URL: cli.server.url, PHAROS_API_KEY: BOOTSTRAP_KEY }
    const config = { KUBECONFIG: kubeconfig(cluster, { token: TOKEN }) }
    const discovery = start({ ...env, ...config }, 'discover', 'kubernetes', '--watch', '--apply')
    const has = (...expected: string[]) =>
      eventually(async () => assert.deepEqual(Object.keys(await managed('discover-kubernetes')), expected))
    await has('a-example-com')
    await eventually(async () => assert.equal(cluster.watches.size, 4))
    cluster.change('ingresses', routes('a.example.com', 'b.example.com'), 'ADDED')
    await has('a-example-com', 'b-example-com')
    await eventually(async () => assert.equal(cluster.watches.size, 4))
    cluster.change('ingresses', routes('b.example.com', 'c.example.com'), 'ERROR')
    await has('a-example-com', 'b-example-com', 'c-example-com')
    const { 'a-example-com': gone } = await managed('discover-kubernetes')
    assert.ok(gone?.labels?.['missing-since'])
    assert.equal(await discovery.stop(), 0)
    assert.equal(discovery.output.stderr, '')
  })
})
