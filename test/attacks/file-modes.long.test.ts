import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pharos, type RunningServer, startServer, stopServer } from '../support/pharos-process.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'

let folder: string
/** Node with the loosest umask: files get every permission that their creator asks for. */
let looseNode: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pharos-modes-'))
  looseNode = join(folder, 'node')
  writeFileSync(looseNode, `#!/bin/sh\numask 000\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 })
})
after(() => rmSync(folder, { recursive: true, force: true }))

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

/** Everything in a folder that is not 0600, or 0700 for folders: the attacker's loot. */
function readableByOthers(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => ({ file: join(entry.parentPath, entry.name), wanted: entry.isDirectory() ? '700' : '600' }))
    .filter(({ file, wanted }) => modeOf(file) !== wanted)
    .map(({ file }) => `${relative(path, file)} ${modeOf(file)}`)
}

function newFolder(mode: number): string {
  const path = mkdtempSync(join(folder, 'case-'))
  chmodSync(path, mode)
  return path
}

async function start(dataDir: string): Promise<RunningServer> {
  return startServer({ PHAROS_DATA_DIR: dataDir, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY }, { node: looseNode })
}

function run(dataDir: string, ...args: string[]) {
  return pharos(args, { env: { PHAROS_DATA_DIR: dataDir }, node: looseNode })
}

describe('files in the data folder', () => {
  test('are private from the first start, whatever the umask is', async () => {
    const dataDir = join(newFolder(0o777), 'new', 'data')
    await using server = await start(dataDir)
    assert.equal((await server.client(BOOTSTRAP_KEY).post('/monitors', { name: 'x', type: 'CRON' })).status, 201)
    const names = readdirSync(dataDir)
    for (const name of ['pharos.db', 'pharos.db-wal', 'pharos.db-shm', 'secret.key', 'server.lock']) {
      assert.ok(names.includes(name), name)
    }
    assert.deepEqual(readableByOthers(join(dataDir, '../..')), [])
    await stopServer(server)
    assert.deepEqual(readableByOthers(join(dataDir, '../..')), [])
  })

  test('of an earlier version are made private; what is not ours is named in a warning and left as it is', async () => {
    const dataDir = newFolder(0o700)
    {
      await using first = await start(dataDir)
      await stopServer(first)
    }
    // As an earlier version left it, with a backup, and with the key in a folder that the operator shares.
    const shared = join(newFolder(0o755), 'shared.key')
    writeFileSync(join(dataDir, 'backup.db'), '')
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644)
    renameSync(join(dataDir, 'secret.key'), shared)
    symlinkSync(shared, join(dataDir, 'secret.key'))
    chmodSync(dataDir, 0o755)

    await using server = await start(dataDir)
    const loose = readableByOthers(dataDir)
    assert.deepEqual(loose.toSorted(), ['backup.db 644', 'secret.key 644'])
    assert.deepEqual([modeOf(dataDir), modeOf(shared)], ['755', '644'])
    const warnings = server.output.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg)
      .filter((msg) => /by other users/.test(msg))
    assert.deepEqual(warnings, [
      `${dataDir} can be read by other users (mode 755): run "chmod 700 ${dataDir}"`,
      `${dataDir}/secret.key can be read by other users (mode 644, symbolic link): run "chmod 600 ${dataDir}/secret.key"`,
      `${dataDir}/backup.db can be read by other users (mode 644): run "chmod 600 ${dataDir}/backup.db"`,
    ])
    const { stdout } = await run(dataDir, 'doctor')
    for (const warning of warnings) assert.ok(stdout.includes(`! permissions  ${warning}`), stdout)
  })

  test('the default folder is ours and made private, too', async () => {
    const cwd = newFolder(0o755)
    mkdirSync(join(cwd, 'data'))
    chmodSync(join(cwd, 'data'), 0o755)
    const { code, stderr } = await pharos(['migrate'], { cwd, node: looseNode })
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(readableByOthers(cwd), [])
    assert.equal(modeOf(cwd), '755')
  })
})

describe('backups and exports', () => {
  let dataDir: string
  before(async () => {
    dataDir = join(newFolder(0o755), 'data')
    await using server = await start(dataDir)
    const client = server.client(BOOTSTRAP_KEY)
    const monitor = (await client.post('/monitors', { name: 'x', type: 'CRON' })).body.id
    const sections = [{ name: 'All', monitors: [{ monitorId: monitor }] }]
    const page = { name: 'Acme', slug: 'acme', published: true, sections }
    assert.equal((await client.post('/status-pages', page)).status, 201)
    await stopServer(server)
  })

  test('a backup in a shared folder is private at every moment', async () => {
    const target = newFolder(0o777)
    const file = join(target, 'copy.db')
    const ended = run(dataDir, 'backup', file)
    let isRunning = true
    void ended.finally(() => (isRunning = false))
    const seen = new Set<string>()
    while (isRunning) {
      if (existsSync(file)) seen.add(modeOf(file))
      await setImmediate()
    }
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.deepEqual([...seen.add(modeOf(file))], ['600'])
    assert.deepEqual(readableByOthers(target), [])
    assert.equal(modeOf(target), '777', 'the folder of the operator stays')
  })

  test('a backup follows no symbolic link, and leaves nothing else behind', async () => {
    const target = newFolder(0o777)
    const loot = newFolder(0o777)
    const file = join(target, 'copy.db')
    writeFileSync(join(loot, 'old.db'), 'unchanged')
    for (const name of ['new.db', 'old.db']) {
      rmSync(file, { force: true })
      symlinkSync(join(loot, name), file)
      const { code, stderr } = await run(dataDir, 'backup', file)
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^pharos: \S+copy\.db is a symbolic link, which backups do not follow; choose another file name\n$/,
      )
    }
    assert.deepEqual(readdirSync(loot), ['old.db'])
    assert.equal(readFileSync(join(loot, 'old.db'), 'utf8'), 'unchanged')
    assert.deepEqual(readdirSync(target), ['copy.db'], 'nothing else remains')
    rmSync(file)
    // SQLite would write its journal through this link if it worked on the file itself.
    symlinkSync(join(loot, 'journal'), `${file}-journal`)
    const { code, stderr } = await run(dataDir, 'backup', file)
    assert.equal(code, 0, stderr)
    assert.deepEqual(readdirSync(target).toSorted(), ['copy.db', 'copy.db-journal'])
    assert.deepEqual([lstatSync(file).isFile(), modeOf(file)], [true, '600'])
    assert.deepEqual(readdirSync(loot), ['old.db'])
  })

  test('an exported page is private, also where it replaces readable files', async () => {
    const target = newFolder(0o777)
    const victim = join(newFolder(0o755), 'victim')
    writeFileSync(victim, 'unchanged')
    writeFileSync(join(target, 'index.html'), 'old')
    chmodSync(join(target, 'index.html'), 0o644)
    symlinkSync(victim, join(target, 'feed.atom'))
    const { code, stderr } = await run(dataDir, 'export-page', 'acme', target, '--force')
    assert.equal(code, 0, stderr)
    assert.deepEqual(readableByOthers(target), [])
    assert.equal(statSync(victim).size, 'unchanged'.length, 'a planted link is replaced and not followed')
  })

  test('an exported page is readable by a web server only if that is asked for', async () => {
    const target = join(newFolder(0o755), 'site')
    const { code, stderr } = await run(dataDir, 'export-page', 'acme', target, '--world-readable')
    assert.equal(code, 0, stderr)
    assert.deepEqual([modeOf(target), modeOf(join(target, 'index.html'))], ['755', '644'])
  })
})
