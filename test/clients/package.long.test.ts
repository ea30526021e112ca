import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { BOOTSTRAP_KEY, startTestServer } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
const client = join(root, 'clients/typescript')

function run(cwd: string, command: string, ...args: string[]): string {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const env = { ...process.env, PATH, npm_config_offline: 'true', npm_config_audit: 'false' }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env })
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

const program = `
import { Pharos, PharosError, verifyWebhook, type Monitor, type WebhookEvent } from '@pharos/client'
import { verifyWebhook as verify } from '@pharos/client/webhooks'

const pharos = new Pharos({ url: process.argv[2] ?? '', apiKey: process.argv[3] ?? '' })
const made: Monitor = await pharos.monitors.create({ name: 'Shop', type: 'CRON', expectedPeriodSec: 60 })
const names: string[] = []
for await (const { name, state } of pharos.monitors.list({ limit: 1 })) {
  const known: 'PENDING' | 'UP' | 'DEGRADED' | 'DOWN' | 'PAUSED' = state
  names.push(name, known)
}
try {
  await pharos.incidents.acknowledge('inc_1')
} catch (error) {
  if (error instanceof PharosError && error.code === 'not_found') names.push(error.code)
}
const removed = await pharos.request('DELETE', '/monitors/{monitorId}', { params: { monitorId: made.id } })
const opened = (event: WebhookEvent): string => event.type === 'incident.opened' ? event.data.monitor.name : event.type
console.log(JSON.stringify([names, removed.data.id === made.id, verify === verifyWebhook, typeof opened]))
`

/** Each must be refused by the type checker. */
const mistakes = [
  `pharos.monitors.create({ name: 'Shop', type: 'CARRIER_PIGEON' })`,
  `pharos.monitors.create({ name: 'Shop' })`,
  `pharos.monitors.get()`,
  `pharos.monitors.list({ colour: 'red' })`,
  `pharos.monitors.fly('mon_1')`,
  `pharos.request('PUT', '/monitors')`,
  `pharos.request('POST', '/monitors')`,
  `pharos.request('POST', '/monitors', {})`,
  `pharos.request('GET', '/monitors/{monitorId}')`,
  `pharos.request('GET', '/monitors', { query: { colour: 'red' } })`,
  `pharos.request('PATCH', '/monitors/{monitorId}', { params: {}, body: {} })`,
  `pharos.incidents.list({ status: 'OVER' })`,
]

describe('the packed client in an empty project', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-client-'))
    // Packed from a copy, so that tests leave the repository as it is.
    const copy = join(folder, 'repository')
    mkdirSync(copy)
    for (const name of ['node_modules', 'tools']) symlinkSync(join(root, name), join(copy, name))
    for (const name of ['package.json', 'tsconfig.json', 'scripts', 'openapi.json', 'openapi-app.json']) {
      cpSync(join(root, name), join(copy, name), { recursive: true })
    }
    cpSync(client, join(copy, 'clients/typescript'), {
      recursive: true,
      filter: (path) => !/\/(dist|generated)$/.test(path),
    })
    run(join(copy, 'clients/typescript'), 'npm', 'pack', '--pack-destination', folder)
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string
    const project = join(folder, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
    run(project, 'npm', 'install', '--ignore-scripts', join(folder, tarball))
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
    for (const name of ['@types/node', 'undici-types']) {
      cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const compilers = {
    'the current TypeScript': 'node_modules/typescript/bin/tsc',
    'TypeScript 5.9': 'tools/node_modules/typescript/bin/tsc',
  }
  const settings = {
    'Node types': ['--lib', 'es2023', '--types', 'node', '--module', 'nodenext'],
    'DOM types and a bundler': [
      ...['--lib', 'es2023,dom,dom.iterable', '--types', 'node', '--module', 'esnext'],
      ...['--moduleResolution', 'bundler'],
    ],
  }

  function check(compiler: string, options: readonly string[], ...files: readonly string[]) {
    const always = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
      '--outDir',
      'out',
      '--rootDir',
      '.',
    ]
    const args = [join(root, compiler), ...always, ...options, ...files]
    return spawnSync(process.execPath, args, { cwd: join(folder, 'project'), encoding: 'utf8' })
  }

  for (const [compilerName, compiler] of Object.entries(compilers)) {
    for (const [name, options] of Object.entries(settings)) {
      test(`type-checks with ${compilerName} and ${name}, its declarations included`, () => {
        writeFileSync(join(folder, 'project/main.ts'), program)
        const { status, stdout } = check(compiler, [...options, '--skipLibCheck', 'false'], 'main.ts')
        // Libraries of others may have faults of their own.
        const ours = stdout.split('\n').filter((line) => /^(main\.ts|node_modules\/@pharos)/.test(line))
        assert.deepEqual(ours, [])
        assert.ok(status === 0 || !stdout.includes('main.ts'), stdout)
      })
    }
  }

  // One run of the compiler reports the mistakes of all files.
  let refusals = ''
  const mistakeFile = (i: number): string => `mistake-${i}.ts`
  before(() => {
    for (const [i, mistake] of mistakes.entries()) {
      const text = `import { Pharos } from '@pharos/client'\ndeclare const pharos: Pharos\nexport const x = ${mistake}\n`
      writeFileSync(join(folder, 'project', mistakeFile(i)), text)
    }
    const options = [...settings['Node types'], '--noEmit']
    refusals = check('node_modules/typescript/bin/tsc', options, ...mistakes.map((_, i) => mistakeFile(i))).stdout
  })
  for (const [i, mistake] of mistakes.entries()) {
    test(`the type checker refuses ${mistake}`, () => {
      assert.match(refusals, new RegExp(`^mistake-${i}\\.ts\\(3,`, 'm'))
    })
  }

  test('runs against a server', async () => {
    await using server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
    const args = [join(folder, 'project/out/main.js'), server.url, BOOTSTRAP_KEY]
    writeFileSync(join(folder, 'project/main.ts'), program)
    check('node_modules/typescript/bin/tsc', [...settings['Node types'], '--skipLibCheck'], 'main.ts')
    const { promise, resolve } = Promise.withResolvers<string>()
    const { execFile } = await import('node:child_process')
    execFile(process.execPath, args, { cwd: join(folder, 'project') }, (error, stdout) =>
      resolve(`${error ?? ''}${stdout}`),
    )
    assert.equal(await promise, '[["Shop","PENDING","not_found"],true,true,"function"]\n')
  })

  test('holds only what is needed, and depends on nothing', () => {
    const installed = join(folder, 'project/node_modules/@pharos/client')
    assert.deepEqual(readdirSync(installed).sort(), ['README.md', 'dist', 'package.json'])
    const { dependencies, sideEffects } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    assert.deepEqual([dependencies, sideEffects], [undefined, false])
    const code = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.js'))
    for (const name of code) assert.doesNotMatch(readFileSync(join(installed, 'dist', name), 'utf8'), /node:|\.ts['"]/)
  })
})
