import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { apply } from '../../configuration/support.ts'
import { compose, container, startDocker } from '../../discovery/docker/daemon.ts'
import { listen } from '../../outbound/fixtures.ts'
import { CommandLine } from '../../support/command-line.ts'
import { BOOTSTRAP_KEY, clientOf } from '../../support/server.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

/** Forwards requests, after something else has happened. */
async function startForwarding(url: string, before: (path: string) => Promise<void>) {
  const server = createServer(async (incoming, response) => {
    await before(String(incoming.url))
    const { method = '', url: path = '', headers } = incoming
    const outgoing = request(new URL(path, url), { method, headers }, (answer) => {
      answer.pipe(response.writeHead(Number(answer.statusCode), answer.headers))
    })
    incoming.pipe(outgoing)
  })
  const listener = await listen(server)
  return { ...listener, url: `http://127.0.0.1:${listener.port}` }
}

describe('pharos discover docker', () => {
  const cli = new CommandLine('sqlite', { PHAROS_ROLES: 'api' })

  /** Name and labels of the monitors that the source manages, by key, and their ids. */
  async function managed(source: string) {
    const { monitors = {} } = await cli.json(`export --source ${source}`)
    return monitors as Record<string, { name: string; url?: string; labels?: Record<string, string> }>
  }

  test('applies what is valid where a label is wrong, and reports it', async () => {
    await using docker = await startDocker()
    docker.containers.set('a', container('a', { 'pharos.http': 'https://a.example.com', 'pharos.method': 'FETCH' }))
    docker.containers.set('b', container('b', { 'pharos.http': 'https://b.example.com' }))
    const env = { PHAROS_URL: cli.server.url, PHAROS_API_KEY: BOOTSTRAP_KEY, DOCKER_HOST: docker.host }
    const discovery = await cli.runWith(env, 'discover', 'docker', '--apply', '--source', 'faulty')
    assert.equal(discovery.code, 0)
    assert.match(discovery.stderr, /^pharos: a: method must be /)
    assert.deepEqual(Object.keys(await managed('faulty')), ['b'])
  })

  test('writes and prints a document that a plan takes where a label is wrong, and reports it', async () => {
    await using docker = await startDocker()
    docker.containers.set('a', container('a', { 'pharos.tcp': 'a.example.com:99999' }))
    docker.containers.set('b', container('b', { 'pharos.http': 'https://b.example.com' }))
    const env = { DOCKER_HOST: docker.host }
    const path = join(emptyDataDir(), 'written.yaml')
    mkdirSync(dirname(path), { recursive: true })
    for (const options of [['-o', path], []]) {
      const { code, stdout, stderr } = await cli.runWith(env, 'discover', 'docker', '--source', 'written', ...options)
      assert.deepEqual([code, stderr], [0, 'pharos: a: port must be at most 65535\n'])
      assert.equal(stdout.includes('99999'), false)
    }
    assert.match(await cli.text(`plan ${path}`), /^\+ monitors\.b {2}create\n/)
    // What was written before stays.
    docker.containers.set('b', container('b', { 'pharos.http': 'https://b.example.com', 'pharos.method': 'FETCH' }))
    const again = await cli.runWith(env, 'discover', 'docker', '--source', 'written', '-o', path)
    assert.match(again.stderr, /b: method must be /)
    assert.match(readFileSync(path, 'utf8'), /url: "https:\/\/b\.example\.com"/)
  })

  test('begins again where another discovery of the source is faster', async () => {
    await using docker = await startDocker()
    docker.containers.set('a', container('a', { 'pharos.http': 'https://a.example.com' }))
    const document = {
      version: 1,
      source: 'shared',
      monitors: { a: { name: 'a', type: 'HTTP', url: 'https://a.example.com' } },
    }
    const other = clientOf(cli.server.url, { 'x-api-key': BOOTSTRAP_KEY })
    let applies = 0
    await using proxy = await startForwarding(cli.server.url, async (path) => {
      if (path.endsWith('/configuration/apply') && applies++ === 0) await apply(other, document)
    })
    const env = { PHAROS_URL: proxy.url, DOCKER_HOST: docker.host }
    const { code, stdout, stderr } = await cli.runWith(env, 'discover', 'docker', '--apply', '--source', 'shared')
    assert.deepEqual([code, stderr, applies], [0, '', 1])
    assert.equal(stdout, 'No changes. 1 unchanged.\n')
  })

  test('writes a document to a file, which keeps what is gone, and does not overwrite other files', async () => {
    await using docker = await startDocker()
    const env = { DOCKER_HOST: docker.host }
    const file = join(emptyDataDir(), 'found.yaml')
    docker.containers.set('web', container('web-1', { ...compose('shop', 'web'), 'pharos.http': '8080' }))
    const printed = await cli.runWith(env, 'discover', 'docker')
    assert.equal(
      printed.stdout,
      'version: 1\nsource: discover-docker\nmonitors:\n  shop--web:\n    name: shop web\n    type: HTTP\n    url: "http://web:8080/"\n' +
        '    labels:\n      project: shop\n      service: web\n',
    )
    const written = await cli.runWith(env, 'discover', 'docker', '-o', file)
    assert.deepEqual([written.code, written.stdout], [0, `Wrote 1 monitor to ${file}\n`])
    assert.equal(readFileSync(file, 'utf8'), printed.stdout)
    docker.containers.clear()
    const { stderr } = await cli.runWith(env, 'discover', 'docker', '-o', file)
    assert.equal(stderr, 'pharos: No container has the label pharos.http or pharos.tcp\n')
    assert.match(readFileSync(file, 'utf8'), /missing-since: "20/)
    const other = await cli.runWith(env, 'discover', 'docker', '-o', file, '--source', 'other')
    assert.match(other.stderr, /is not a document of the source other\. Use another file, or remove it/)
  })

  test('explains wrong usage and a daemon that cannot be reached', async () => {
    assert.match(await cli.usageError('discover docker --watch'), /--watch needs --apply or --output FILE/)
    assert.match(await cli.usageError('discover docker --grace soon'), /--grace must be a duration/)
    assert.match(await cli.usageError('discover docker --apply -o a.yaml'), /not both/)
    const env = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
    const { code, stderr } = await cli.runWith(env, 'discover', 'docker')
    assert.equal(code, 1)
    assert.match(stderr, /^pharos: Docker at unix:\/\/\/nowhere\/docker\.sock cannot be reached: connect ENOENT/)
  })
})
