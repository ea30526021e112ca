import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Source, sourceDateEpoch } from './reproducible.ts'

const sources = join(import.meta.dirname, '../../deploy/deb')

/** Where each file of deploy/deb is installed, and its mode. */
const installed: Readonly<Record<string, readonly [string, number]>> = {
  default: ['etc/default/pharos', 0o640],
  'pharos.sh': ['usr/bin/pharos', 0o755],
  'pharos.service': ['usr/lib/systemd/system/pharos.service', 0o644],
  'sysusers.conf': ['usr/lib/sysusers.d/pharos.conf', 0o644],
  'sysctl.conf': ['usr/lib/sysctl.d/50-pharos.conf', 0o644],
  postinst: ['DEBIAN/postinst', 0o755],
  prerm: ['DEBIAN/prerm', 0o755],
  postrm: ['DEBIAN/postrm', 0o755],
}

const controlOf = ({ version, arch }: Source): string => `Package: pharos
Version: ${version}
Architecture: ${arch === 'x64' ? 'amd64' : arch}
Maintainer: Pharos <pharos@localhost>
Section: net
Priority: optional
Depends: libc6 (>= 2.28), libstdc++6, libatomic1, init-system-helpers, systemd | systemd-standalone-sysusers
Recommends: ca-certificates
Description: uptime monitoring, alerts and status pages
 Checks websites, ports, names, certificates and cron jobs, sends alerts and serves status pages.
`

/** Installs the service `pharos`. zstd is as small as xz -3 here, and 10 times as fast; dpkg of Debian 12 reads it. */
export function packDeb(source: Source, zstdLevel = 9): string {
  const { staged, version, arch, target } = source
  const file = join(target, `pharos_${version}_${arch === 'x64' ? 'amd64' : arch}.deb`)
  const folder = mkdtempSync(join(tmpdir(), 'pharos-deb-'))
  try {
    for (const [name, [path, mode]] of Object.entries(installed)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(join(sources, name), join(folder, path))
      chmodSync(join(folder, path), mode)
    }
    writeFileSync(join(folder, 'DEBIAN/control'), controlOf(source))
    writeFileSync(join(folder, 'DEBIAN/conffiles'), '/etc/default/pharos\n')
    cpSync(staged, join(folder, 'usr/lib/pharos'), { recursive: true })
    renameSync(join(folder, 'usr/lib/pharos/share'), join(folder, 'usr/share'))
    // Where the zsh of Debian looks.
    renameSync(join(folder, 'usr/share/zsh/site-functions'), join(folder, 'usr/share/zsh/vendor-completions'))
    mkdirSync(join(folder, 'usr/share/doc/pharos'), { recursive: true })
    symlinkSync('../../../lib/pharos/docs', join(folder, 'usr/share/doc/pharos/docs'))
    cpSync(join(staged, 'THIRD-PARTY-NOTICES.md'), join(folder, 'usr/share/doc/pharos/copyright'))
    // The umask of the build is not part of the package; a file that others may not read keeps its mode.
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', ...['usr', 'DEBIAN'].map((name) => join(folder, name))])
    execFileSync('chmod', ['755', folder, join(folder, 'etc'), join(folder, 'etc/default')])
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', `-z${zstdLevel}`, '--build', folder, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: sourceDateEpoch() },
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
  return file
}
