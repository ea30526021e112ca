import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { imageLabels } from './image-labels.ts'
import { type Source, sourceDateEpoch, sourceRevision } from './reproducible.ts'

const debianArchitectures = { x64: 'amd64', arm64: 'arm64' } as const
/** What Node is linked against with its licences, certificates, and the name of the release for scanners. */
const debianPackages = [
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'libatomic1',
  'gcc-12-base',
  'ca-certificates',
  'base-files',
]
const debianFiles = [
  '{lib,lib64}/*.so*',
  '{lib,usr/lib}/*-linux-gnu/*.so*',
  'usr/lib/os-release',
  'etc/{os-release,debian_version}',
  'usr/share/ca-certificates/*/*.crt',
  'usr/share/doc/*/copyright',
]
const origin = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
const UID = 65_532
/** Group 0, so that every other user works with the volume too (`--user 12345:0`). */
const GID = 0
const APP = 'usr/lib/pharos'
/** The kernel starts Node with this file: there is no shell for the launcher of the other packages. */
const launcher = `#!/${APP}/bin/node\nimport '/${APP}/bin/pharos.js'\n`
const SECOND_NS = 1e9

/**
 * A container image for `docker load`, `podman load` and `skopeo copy docker-archive:…`, made of the staged folder and of Debian the C
 * library, certificates and what scanners read. It has no shell. It is written here and not by buildah, which adds a random container id
 * and host name. The Debian packages are those of the day.
 */
export function packImage({ staged, version, arch, target }: Source): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-image-'))
  try {
    const debian = join(folder, 'debian')
    for (const file of downloadDebian(join(folder, 'apt'), debianArchitectures[arch])) unpackDebian(file, debian)
    addSystemFiles(debian)
    // In the lower layer: an upgrade of Pharos with the same Node and Debian downloads the upper one only.
    cpSync(join(staged, 'bin/node'), join(debian, APP, 'bin/node'))
    const pharos = join(folder, 'pharos')
    cpSync(staged, join(pharos, APP), { recursive: true, verbatimSymlinks: true })
    rmSync(join(pharos, APP, 'bin/node'))
    write(pharos, 'usr/bin/pharos', launcher, 0o755)
    const image = join(folder, 'image')
    const layers = [addLayer(image, debian, makeSpecialFolders(join(folder, 'special'))), addLayer(image, pharos)]
    const config = JSON.stringify(configOf(layers, version, debianArchitectures[arch]))
    const manifest = {
      Config: `${hash('sha256', config)}.json`,
      RepoTags: [`pharos:${version}`],
      Layers: layers.map((sum) => `${sum}.tar.gz`),
    }
    write(image, manifest.Config, config)
    write(image, 'manifest.json', JSON.stringify([manifest]))
    const file = join(target, `pharos-${version}-image-${arch}.tar`)
    tar('-cf', file, '--owner=0', '--group=0', '-C', image, ...readdirSync(image))
    return file
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(command: string, args: readonly string[], cwd = '/'): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function tar(...args: readonly string[]): void {
  run('tar', ['--format=ustar', '--sort=name', '--numeric-owner', `--mtime=@${sourceDateEpoch()}`, ...args])
}

function write(layer: string, path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(layer, path)), { recursive: true })
  writeFileSync(join(layer, path), text, { mode })
}

/** By the sources and keys of this machine, with lists of its own: the machine need not know the other architecture. */
function downloadDebian(state: string, architecture: string): readonly string[] {
  for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(state, name), { recursive: true })
  write(state, 'status', '')
  const options = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': join(state, 'cache'),
  }
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  run('apt-get', [...settings, '-q', 'update'], state)
  run('apt-get', [...settings, '-q', 'download', ...debianPackages], state)
  return globSync('*.deb', { cwd: state }).map((name) => join(state, name))
}

function unpackDebian(file: string, layer: string): void {
  const name = run('dpkg-deb', ['--field', file, 'Package']).trim()
  const unpacked = join(dirname(file), name)
  run('dpkg-deb', ['--raw-extract', file, unpacked])
  const status = join(layer, 'var/lib/dpkg/status.d')
  mkdirSync(status, { recursive: true })
  const files = globSync(debianFiles, { cwd: unpacked })
  if (files.length > 0) run('cp', ['--parents', '--no-dereference', ...files, layer], unpacked)
  // Scanners find the packages of an image without dpkg in this folder.
  cpSync(join(unpacked, 'DEBIAN/control'), join(status, name))
  cpSync(join(unpacked, 'DEBIAN/md5sums'), join(status, `${name}.md5sums`))
}

function addSystemFiles(layer: string): void {
  const certificates = globSync('usr/share/ca-certificates/*/*.crt', { cwd: layer }).sort()
  const bundle = certificates.map((path) => readFileSync(join(layer, path), 'utf8')).join('')
  write(layer, 'etc/ssl/certs/ca-certificates.crt', bundle)
  write(layer, 'etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n')
  write(layer, 'etc/passwd', `root:x:0:0:root:/:/sbin/nologin\npharos:x:${UID}:${GID}:Pharos:/data:/sbin/nologin\n`)
  write(layer, 'etc/group', 'root:x:0:\n')
}

/** Folders with an owner or a mode of their own, as arguments of tar. */
function makeSpecialFolders(from: string): readonly (readonly string[])[] {
  for (const name of ['data', 'tmp']) mkdirSync(join(from, name), { recursive: true })
  return [
    [`--owner=${UID}`, `--group=${GID}`, '--mode=0775', '-C', from, './data'],
    ['--owner=0', '--group=0', '--mode=1777', '-C', from, './tmp'],
  ]
}

/** Returns the checksum of the layer before compression. */
function addLayer(image: string, layer: string, more: readonly (readonly string[])[] = []): string {
  const file = join(layer, '..', `${basename(layer)}.tar`)
  tar('-cf', file, '--owner=0', '--group=0', '--mode=u=rwX,go=rX', '-C', layer, '.')
  for (const args of more) tar('-rf', file, ...args)
  const sum = hash('sha256', readFileSync(file))
  run('gzip', ['-6n', file])
  mkdirSync(image, { recursive: true })
  renameSync(`${file}.gz`, join(image, `${sum}.tar.gz`))
  return sum
}

/** In Docker's format: that of OCI has no health check. */
function configOf(layers: readonly string[], version: string, architecture: string): object {
  const created = new Date(Number(sourceDateEpoch()) * 1000).toISOString()
  return {
    architecture,
    os: 'linux',
    created,
    config: {
      User: `${UID}:${GID}`,
      // Pharos creates the folder for itself alone; the volume may belong to a group.
      Env: ['PATH=/usr/bin', 'HOST=0.0.0.0', 'PORT=3000', 'PHAROS_DATA_DIR=/data/pharos'],
      ExposedPorts: { '3000/tcp': {} },
      Volumes: { '/data': {} },
      Entrypoint: ['/usr/bin/pharos'],
      Cmd: ['start'],
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', '/usr/bin/pharos', 'healthcheck'],
        Interval: 30 * SECOND_NS,
        Timeout: 5 * SECOND_NS,
        StartPeriod: 60 * SECOND_NS,
      },
      Labels: imageLabels(origin, version, sourceRevision()),
    },
    rootfs: { type: 'layers', diff_ids: layers.map((sum) => `sha256:${sum}`) },
    history: ['Debian and Node', 'Pharos'].map((comment) => ({ created, comment })),
  }
}
