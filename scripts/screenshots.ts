/**
 * Renews the pictures in docs/screenshots from a workspace made for them:
 *   npm run screenshots            all of them
 *   npm run screenshots -- status  those whose name contains this
 * Needs root on Linux and a browser: it runs in a network of its own, where shop.example is this machine.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAuthority } from '../test/support/certificates.ts'
import { takeScreenshots } from './screenshots/take.ts'
import { hostNames, STAGE_VARIABLE } from './screenshots/targets.ts'

const stage = process.env[STAGE_VARIABLE]
if (stage !== undefined) await takeScreenshots(stage, process.argv[2] ?? '')
else process.exitCode = runOnStage()

/** Runs this script again in namespaces of its own, with a hosts file and a certificate authority made for it. */
function runOnStage(): number {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-screenshots-'))
  try {
    const authority = makeAuthority('Example CA')
    const { cert, key } = authority.issue({ hosts: hostNames, validTo: new Date(Date.now() + 80 * 86_400_000) })
    writeFileSync(join(folder, 'ca.pem'), authority.cert)
    writeFileSync(join(folder, 'cert.pem'), cert)
    writeFileSync(join(folder, 'key.pem'), key)
    writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost ${hostNames.join(' ')}\n`)
    const commands = `mount --bind "${folder}/hosts" /etc/hosts && ip link set lo up && exec "$@"`
    const { status, error } = spawnSync(
      'unshare',
      [
        '--mount',
        '--net',
        'sh',
        '-c',
        commands,
        'sh',
        process.execPath,
        import.meta.filename,
        ...process.argv.slice(2),
      ],
      {
        stdio: 'inherit',
        env: { ...process.env, [STAGE_VARIABLE]: folder, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
      },
    )
    if (error !== undefined) process.stderr.write(`unshare failed: ${error.message}\n`)
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
