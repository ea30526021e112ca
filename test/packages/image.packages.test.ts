import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { packImage } from '../../scripts/packages/image.ts'
import { findProgram } from '../faults/needs.ts'
import { exitOf, Site } from '../faults/site.ts'
import { createPage } from '../publishing/public-site/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const skip = skipWithout(isRoot && findProgram('apt-get') !== undefined, 'root on Debian, to make and run an image')
const UID = 12_345
const staged = join(import.meta.dirname, '../../dist/pharos')
const folder = mkdtempSync(join(tmpdir(), 'pharos-image-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function newFolder(name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

const sumOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

const source = { staged, version: '0.0.1', arch: process.arch as 'x64' | 'arm64' }
let image = ''
let root = ''

test('the image is small, and a second build gives the same bytes', { skip }, () => {
  image = packImage({ ...source, target: newFolder('first') })
  assert.ok(statSync(image).size < 65e6, `${statSync(image).size} bytes to pull`)
  assert.equal(sumOf(packImage({ ...source, target: newFolder('second') })), sumOf(image))
  const unpacked = newFolder('unpacked')
  execFileSync('tar', ['-xf', image, '-C', unpacked])
  const [{ Layers }] = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
  root = newFolder('root')
  for (const layer of Layers) execFileSync('tar', ['-xzf', join(unpacked, layer), '-C', root])
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  assert.ok(bytes < 190e6, `${bytes} bytes unpacked`)
})

test('scanners find the Debian packages, and there is no shell and no file that others may write', { skip }, () => {
  const status = readFileSync(join(root, 'var/lib/dpkg/status.d/libc6'), 'utf8')
  assert.match(status, /^Package: libc6$/m)
  assert.match(status, /^Version: 2\./m)
  assert.match(readFileSync(join(root, 'etc/os-release'), 'utf8'), /^ID=debian$/m)
  assert.ok(!existsSync(join(root, 'bin/sh')))
  for (const path of globSync('{etc,lib,usr,var}/**', { cwd: root })) {
    const file = join(root, path)
    if (existsSync(file)) assert.equal(statSync(file).mode & 0o6022, 0, path)
  }
})

const skipBuildah = skipWithout(!isRoot || findProgram('buildah') !== undefined, 'buildah (Debian: buildah)')
test('buildah reads the image: user, volume and health check', { skip: skip || skipBuildah }, () => {
  const store = newFolder('store')
  const buildah = (...args: readonly string[]): string =>
    execFileSync('buildah', ['--storage-driver', 'vfs', '--root', store, '--runroot', `${store}.run`, ...args], {
      encoding: 'utf8',
    })
  const id = buildah('pull', '--quiet', `docker-archive:${image}`).trim()
  const { Docker, OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', id))
  const { User, Volumes, Entrypoint, Cmd, Healthcheck, Labels } = Docker.config
  assert.deepEqual([User, Volumes, Entrypoint, Cmd], ['65532:0', { '/data': {} }, ['/usr/bin/pharos'], ['start']])
  assert.deepEqual(Healthcheck.Test, ['CMD', '/usr/bin/pharos', 'healthcheck'])
  assert.equal(Labels['org.opencontainers.image.version'], source.version)
  assert.match(Labels['org.opencontainers.image.revision'], /^[0-9a-f]{40}$/)
  assert.ok(Labels['org.opencontainers.image.description'] && Labels['org.opencontainers.image.licenses'])
  assert.equal(OCIv1.architecture, process.arch === 'x64' ? 'amd64' : process.arch)
})

test('it runs as any user, without capabilities and with a read-only root file system', { skip }, async () => {
  const port = await freePort()
  // A new volume is a copy of the folder in the image.
  const data = newFolder('data')
  const { uid, gid, mode } = statSync(join(root, 'data'))
  chownSync(data, uid, gid)
  chmodSync(data, mode)
  const env = {
    PATH: '/usr/bin',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    PHAROS_DATA_DIR: '/data/pharos',
    PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
  }
  await using site = new Site()
  const pharos = (...words: readonly string[]) => {
    const [command = '', ...args] = inImage(data, ...words)
    return site.spawn({ command, args, env })
  }
  const server = pharos('start')
  await eventually(async () => {
    const health = pharos('healthcheck')
    assert.equal(await exitOf(health), 0, `${health.output.text}${server.output.text}`)
  })
  const url = `http://127.0.0.1:${port}`
  const client = clientOf(url, { 'x-api-key': BOOTSTRAP_KEY })
  const { body: monitor } = await client.post('/monitors', { name: 'Shop', type: 'HTTP', url: `${url}/healthz` })
  await eventually(async () => assert.equal((await client.get(`/monitors/${monitor.id}`)).body.state, 'UP'))
  const { slug } = await createPage(client, [monitor.id])
  assert.match(await (await fetch(`${url}/status/${slug}`)).text(), /<bdi>Shop<\/bdi>/)

  // What `docker run` permits by default, other machines do not.
  const { body: ping } = await client.post('/monitors', { name: 'Ping', type: 'PING', host: '127.0.0.1' })
  await eventually(async () => {
    const { body } = await client.get(`/monitors/${ping.id}/checks`)
    const [check] = body.data
    assert.ok(check)
    if (check.state !== 'UP') assert.match(JSON.stringify(check), /net\.ipv4\.ping_group_range/)
  })
  server.kill('SIGTERM')
  assert.equal(await exitOf(server), 0, server.output.text)
  assert.ok(existsSync(join(data, 'pharos/pharos.db')))
})

/** The command in the root file system of the image, as a container runtime starts it. */
function inImage(data: string, ...args: readonly string[]): readonly string[] {
  const mounts = `set -e
    for name in proc dev; do mkdir -p "$1/$name"; done
    mount --bind "$1" "$1"
    mount --rbind /proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount --bind "$2" "$1/data"
    mount -o remount,bind,ro "$1"
    root=$1 uid=$3
    shift 3
    exec setpriv --no-new-privs unshare --root "$root" --wd / --setgid 0 --setuid "$uid" /usr/bin/pharos "$@"`
  return ['unshare', '--mount', 'sh', '-c', mounts, 'sh', root, data, `${UID}`, ...args]
}
