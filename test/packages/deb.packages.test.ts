import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { packDeb } from '../../scripts/packages/deb.ts'
import { assertFilled } from '../storage/saved-databases/content.ts'
import { freePort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import { assertMonitors, savedDatabase, settings, startPackaged } from './packaged-server.ts'

const staged = join(import.meta.dirname, '../../dist/pharos')
const arch = process.arch as 'x64' | 'arm64'
const { version } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'))
/** `systemd-analyze security` rates what a service may do from 0 to 10, here in tenths: 15 are measured. */
const EXPOSURE_LIMIT = 20

const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin'

/** The root file system of this machine with a layer of its own, which disappears with the process that holds it. */
const enter = `
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/merged"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/merged"
mount -t proc proc "$1/merged/proc"
mount --rbind /dev "$1/merged/dev"
mount --bind "$2" "$1/merged/mnt"
mount -t tmpfs tmpfs "$1/merged/run"
echo mounted
exec sleep 900`

const hasPrograms = ['unshare', 'nsenter', 'dpkg-deb', 'systemd-analyze', 'setpriv'].every(
  (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0,
)
const skip =
  process.getuid?.() === 0 ? skipWithout(hasPrograms, 'A program of Debian (dpkg, systemd, util-linux)') : 'needs root'

describe('the Debian package', { skip }, () => {
  const packages = mkdtempSync(join(tmpdir(), 'pharos-debs-'))
  const scratch = mkdtempSync(join(tmpdir(), 'pharos-root-'))
  let holder: ChildProcess

  before(async () => {
    holder = spawn('unshare', ['--mount', 'sh', '-c', enter, 'sh', scratch, packages], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  })
  after(async () => {
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    for (const folder of [packages, scratch]) rmSync(folder, { recursive: true, force: true })
  })

  /** A command line inside. */
  const inside = (...command: string[]): string[] => {
    return ['nsenter', '-t', String(holder.pid), '-m', 'chroot', join(scratch, 'merged'), ...command]
  }
  function sh(script: string, input = ''): string {
    const [file = '', ...args] = inside('sh', '-ec', script)
    const { status, stdout, stderr } = spawnSync(file, args, {
      input,
      encoding: 'utf8',
      env: { PATH: systemPath },
    })
    assert.equal(status, 0, `${script}\n${stdout}${stderr}`)
    return stdout
  }

  /** As the unit starts it: its command, its user, no capabilities, and the settings of the file alone. */
  async function start(port: number) {
    const unit = sh('cat /usr/lib/systemd/system/pharos.service')
    const command = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
    const lines = sh('cat /etc/default/pharos').matchAll(/^([A-Z_]+)=(.*)$/gm)
    const env = Object.fromEntries([...lines].map(([, name, value]) => [name, value])) as Record<string, string>
    sh('install -d -m 700 -o pharos -g pharos /var/lib/pharos')
    const user = ['--reuid=pharos', '--regid=pharos', '--clear-groups', '--no-new-privs', '--bounding-set=-all']
    return startPackaged(inside('setpriv', ...user, ...command), { port, cwd: '/', env: { PATH: systemPath, ...env } })
  }

  test('is installed, serves, is upgraded with its data, removed and purged', async () => {
    const source = { staged, version, arch, target: packages }
    const first = packDeb(source)
    const sum = execFileSync('sha256sum', [first], { encoding: 'utf8' })
    assert.equal(execFileSync('sha256sum', [packDeb(source)], { encoding: 'utf8' }), sum, 'the same bytes again')
    packDeb({ ...source, version: `${version}+next` }, 1)

    const install = (name: string) => sh(`dpkg --force-unsafe-io --install /mnt/pharos_${name}_*.deb`)
    install(version)
    assert.equal(sh('stat -c "%a %U:%G" /etc/default/pharos'), '640 root:pharos\n')
    sh('systemd-analyze verify --man=no pharos.service')
    sh(`systemd-analyze security --offline=true --threshold=${EXPOSURE_LIMIT} pharos.service`)

    const port = await freePort()
    const lines = Object.entries({ ...settings, PORT: port }).map(([name, value]) => `${name}=${value}\n`)
    sh('sed -i /PORT/d /etc/default/pharos; cat >>/etc/default/pharos', lines.join(''))
    writeFileSync(join(packages, 'saved.db'), savedDatabase())
    sh('install -d -m 700 -o pharos -g pharos /var/lib/pharos')
    sh('install -m 600 -o pharos -g pharos /mnt/saved.db /var/lib/pharos/pharos.db')
    {
      await using server = await start(port)
      await assertFilled(server)
      await assertMonitors(server)
      assert.match(sh('setpriv --reuid=pharos --regid=pharos --clear-groups pharos orgs list'), /default/)
      assert.equal(await server.stop(), 0)
    }

    install(`${version}+next`)
    assert.match(sh('cat /etc/default/pharos'), new RegExp(`^PORT=${port}$`, 'm'))
    {
      await using server = await start(port)
      const { data } = (await server.client().get('/monitors')).body
      assert.ok(data.some(({ name }: { name: string }) => name === 'Packaged'))
    }

    sh('dpkg --remove pharos')
    assert.equal(sh('find /usr/share -name "*pharos*" | grep -v debconf || true'), '')
    assert.equal(sh('ls -d /usr/lib/pharos /usr/bin/pharos 2>/dev/null || true'), '')
    sh('ls /var/lib/pharos/pharos.db /etc/default/pharos')
    sh('dpkg --purge pharos')
    assert.equal(sh('ls -d /var/lib/pharos /etc/default/pharos 2>/dev/null || true'), '')
  })
})
