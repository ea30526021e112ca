import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
/** Has no entry in /etc/passwd. */
const [UID, GID] = [54321, 0]
/** For a server that should refuse to start but runs. */
const COMMAND_LIMIT_MS = 30_000

/**
 * A mount namespace in which the checkout is at BOX/app, only BOX/data can be written to, not even /tmp, and there is no
 * `ping`. Then it drops all capabilities and runs the arguments as the user, with no environment but the given one.
 */
const enter = `
  set -e; box=$1; shift
  mount --make-rprivate /
  mount --bind ${root} $box/app
  mount --bind $box/data $box/data
  for ping in /usr/bin/ping /bin/ping; do [ ! -e $ping ] || mount --bind /dev/null $ping; done
  while read -r _ _ _ _ point _; do
    case $point in
      # The box itself may be in /dev/shm.
      $box/app|/dev/shm) mount -o remount,bind,ro $point ;;
      $box/data|/proc*|/dev*|/sys*|/usr/bin/ping|/bin/ping) ;;
      *) mount -o remount,bind,ro $point ;;
    esac
  done < /proc/self/mountinfo
  cd /
  exec setpriv --reuid ${UID} --regid ${GID} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs -- env -i "$@"`

describe('with a read-only root, a random user, no capabilities, HOME or temporary folder', {
  skip: skipWithout(process.getuid?.() === 0, 'root'),
}, () => {
  const box = mkdtempSync(join(tmpdir(), 'pharos-box-'))
  chmodSync(box, 0o755)
  for (const name of ['app', 'data', 'foreign']) mkdirSync(join(box, name))
  chownSync(join(box, 'data'), UID, GID)
  after(() => rmSync(box, { recursive: true, force: true }))

  const node = process.execPath.replace(root, join(box, 'app'))
  const program = join(box, 'app/bin/pharos.js')

  function launch(
    args: readonly string[],
    env: Record<string, string>,
    { ownNetwork = false, timeout = 0 } = {},
  ): ChildProcess {
    const variables = Object.entries({ PHAROS_DATA_DIR: join(box, 'data'), ...env }).map((pair) => pair.join('='))
    const flags = ['--mount', ...(ownNetwork ? ['--net'] : [])]
    return spawn('unshare', [...flags, 'sh', '-c', enter, 'sh', box, ...variables, node, program, ...args], { timeout })
  }

  async function run(args: readonly string[], env: Record<string, string> = {}, ownNetwork = false) {
    const child = launch(args, env, { ownNetwork, timeout: COMMAND_LIMIT_MS })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
    const [code] = await once(child, 'close')
    return { code, output }
  }

  test('the server and its commands work and write into the data folder alone', async () => {
    const port = await freePort()
    const env = { PORT: `${port}`, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY }
    const server = launch(['start'], env)
    const ended = once(server, 'close')
    try {
      await eventually(async () => assert.equal((await run(['healthcheck'], env)).code, 0), 60_000)
      const client = clientOf(`http://127.0.0.1:${port}`, { 'x-api-key': BOOTSTRAP_KEY })
      const target = { name: 'Itself', type: 'HTTP', url: `http://127.0.0.1:${port}/healthz` }
      const { body: monitor } = await client.post('/monitors', target)
      await eventually(async () => assert.equal((await client.get(`/monitors/${monitor.id}`)).body.state, 'UP'))
      const page = {
        name: 'Acme',
        slug: 'acme',
        sections: [{ name: 'All', monitors: [{ monitorId: monitor.id }] }],
        published: true,
      }
      assert.equal((await client.post('/status-pages', page)).status, 201)
      assert.equal((await fetch(`http://127.0.0.1:${port}/status/acme`)).status, 200)
      for (const line of [
        'keys list',
        'setup-link',
        `backup ${box}/data/copy.db`,
        `export-page acme ${box}/data/acme`,
      ]) {
        const { code, output } = await run(line.split(' '), env)
        assert.equal(code, 0, `${line}: ${output}`)
      }
    } finally {
      server.kill('SIGTERM')
      await ended
    }
    assert.ok(readdirSync(join(box, 'data')).includes('pharos.db'))
  })

  test('ping says what to set', async () => {
    const { output } = await run(['doctor'], {}, true)
    assert.match(
      output,
      /^! ping +Ping is not available .*; let group 0 ping with "sysctl -w net\.ipv4\.ping_group_range='0 2147483647'", /m,
    )
  })

  test('a data folder of another user stops the start with the command that changes it', async () => {
    const folder = join(box, 'foreign')
    for (const command of ['start', 'migrate', 'doctor']) {
      const { code, output } = await run([command], { PHAROS_DATA_DIR: folder, PORT: '0' })
      assert.equal(code, 1, output)
      assert.match(output, new RegExp(`user ${UID} cannot write to ${folder} .*run "chown -R ${UID}:${GID} ${folder}"`))
    }
  })

  test('so does a folder on a read-only file system', async () => {
    chownSync(join(box, 'foreign'), UID, GID)
    const { code, output } = await run(['start'], { PHAROS_DATA_DIR: join(box, 'foreign/data'), PORT: '0' })
    assert.equal(code, 1, output)
    assert.match(
      output,
      /^pharos: PHAROS_DATA_DIR: .* is on a read-only file system; mount a volume at .*foreign\/data/m,
    )
  })
})
