import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseAllDocuments } from 'yaml'
import { apiCommands } from '../../src/cli/api/commands.ts'
import { ackCommand, downCommand, statusCommand } from '../../src/cli/api/daily.ts'
import { listenCommand, triggerCommand } from '../../src/cli/api/listen.ts'
import { loginCommand, logoutCommand } from '../../src/cli/api/login.ts'
import type { Command } from '../../src/cli/command.ts'
import { configurationCommands } from '../../src/cli/configuration/commands.ts'
import { discoveryCommands } from '../../src/cli/discovery/commands.ts'
import { findCommand } from '../../src/cli/find-command.ts'
import { healthcheckCommand } from '../../src/cli/healthcheck.ts'
import { importCommands } from '../../src/cli/import/commands.ts'
import { importHistoryCommand } from '../../src/cli/import/history-command.ts'
import { mcpCommand } from '../../src/cli/mcp/command.ts'
import { parseArguments } from '../../src/cli/parse-arguments.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { serverCommands } from '../../src/cli/server-commands.ts'
import { shadowCommands } from '../../src/cli/shadow/commands.ts'
import { documentSchema } from '../../src/configuration/json-schema.ts'
import { samples as callSamples, sampleRequest } from '../../src/server/reference/code-samples.ts'
import { modelOf } from '../../src/server/reference/model.ts'
import { emptyDataDir } from '../support/sqlite.ts'

const root = join(import.meta.dirname, '../..')

interface Sample {
  /** `docs/api.md:41` */
  readonly place: string
  readonly language: string
  readonly text: string
}

const samples = globSync(['README.md', 'docs/*.md', 'clients/*/README.md', 'bench/*.md'], { cwd: root }).flatMap(
  (file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(/^( *)```(\w+)\n(.*?)^ *```/gms)].map(
      ({ index, 1: indent = '', 2: language = '', 3: body = '' }): Sample => {
        const line = text.slice(0, index).split('\n').length
        return { place: `${file}:${line}`, language, text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
      },
    )
  },
)

const samplesIn = (...languages: readonly string[]) => samples.filter(({ language }) => languages.includes(language))

const openapi = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true })
ajv.addSchema(openapi, 'api')

/** What is wrong with the body of an operation. */
function bodyFaults(body: unknown, ...operation: readonly [path: string, method: string]): string[] {
  const names = ['paths', ...operation, 'requestBody', 'content', 'application/json', 'schema']
  const pointer = names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
  const validate = ajv.compile({ $ref: `api#${pointer.join('')}` })
  validate(body)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

// TypeScript

/** What samples use without saying where it comes from. */
const surroundings = `
type Client = import('@pharos/client').Pharos
declare const pharos: Client
declare const monitor: import('@pharos/client').Monitor
declare const body: Parameters<Client['monitors']['create']>[0]
declare const id: string
declare const version: string
declare const secret: string
declare const request: Request
`

function referenceSamples(): Sample[] {
  return modelOf(openapi).operations.flatMap((operation) =>
    (operation.body?.examples ?? [{ value: undefined }]).flatMap(({ value }) => {
      const text = callSamples.typescript(sampleRequest(operation, 'https://pharos.example.com', value))
      return text === undefined ? [] : { place: `reference: ${operation.id}`, language: 'ts', text }
    }),
  )
}

test('every sample in TypeScript and JavaScript compiles with the types of the client', () => {
  const folder = join(emptyDataDir(), 'samples')
  mkdirSync(folder, { recursive: true })
  const client = join(root, 'clients/typescript/src')
  const compilerOptions = {
    ...{ target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], strict: true, noEmit: true, skipLibCheck: true },
    ...{
      module: 'nodenext',
      moduleResolution: 'nodenext',
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    },
    ...{ allowJs: true, checkJs: false, allowImportingTsExtensions: true, moduleDetection: 'force' },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
    paths: { '@pharos/client': [join(client, 'index.ts')], '@pharos/client/webhooks': [join(client, 'webhooks.ts')] },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'surroundings.d.ts'), `declare global {${surroundings}}\nexport {}\n`)
  const all = [...samplesIn('ts', 'js'), ...referenceSamples()]
  assert.ok(all.length > 140)
  const places = new Map(all.map(({ place, language }, i) => [`sample-${i}.${language}`, place]))
  for (const [i, { language, text }] of all.entries()) writeFileSync(join(folder, `sample-${i}.${language}`), text)
  const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  })
  const faults = stdout.trimEnd().replace(/^sample-\d+\.\w+/gm, (name) => places.get(name) ?? name)
  assert.equal(faults, '')
})

// Documents

test('every sample in JSON and YAML can be read, and documents of configuration as code fit their schema', () => {
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(documentSchema())
  let documents = 0
  for (const { place, text } of samplesIn('json', 'yaml')) {
    for (const content of parseAllDocuments(text)) {
      assert.deepEqual(content.errors, [], place)
      const value: unknown = content.toJS()
      if (typeof value !== 'object' || value === null || !('version' in value && 'monitors' in value)) continue
      documents += 1
      validate(value)
      assert.deepEqual(validate.errors ?? [], [], place)
    }
  }
  assert.ok(documents > 0)
})

test('every list of assertions and every body for a test of settings in the documentation is valid', () => {
  const found = samplesIn('json').filter(({ place }) => place.startsWith('docs/assertions.md'))
  assert.ok(found.length >= 5)
  for (const { place, text } of found) {
    const value: unknown = JSON.parse(text)
    const faults = Array.isArray(value)
      ? bodyFaults({ assertions: value }, '/api/v1/monitors/{monitorId}/assertions', 'put')
      : bodyFaults(value, '/api/v1/monitors/try', 'post')
    assert.deepEqual(faults, [], place)
  }
})

// Shell

const commands: readonly Command[] = [
  ...[
    ...serverCommands,
    ...configurationCommands,
    ...discoveryCommands,
    ...importCommands,
    ...shadowCommands,
    ...apiCommands,
  ],
  ...[
    statusCommand,
    downCommand,
    ackCommand,
    healthcheckCommand,
    runCommandLine,
    mcpCommand,
    importHistoryCommand,
    listenCommand,
    triggerCommand,
    loginCommand,
    logoutCommand,
  ],
]

/** The calls of some programs that a script makes. No program runs: there is none on the path. */
function callsIn(script: string): (readonly string[])[] {
  const folder = emptyDataDir()
  mkdirSync(folder, { recursive: true })
  const recorded = ['pharos', 'curl'].map(
    (name) => `${name}() { printf '%s\\0' ${name} "$@" >&3; printf '\\036' >&3; }\n`,
  )
  const env = {
    ...{
      PATH: '',
      HOME: folder,
      KEY: 'phr_x',
      TOKEN: 'x',
      PHAROS: 'https://pharos.example.com',
      PHAROS_URL: 'https://pharos.example.com',
    },
    ...{
      API: 'https://pharos.example.com/api/v1',
      HEARTBEAT_URL: 'https://pharos.example.com/heartbeat/x',
      MONITOR: 'mon_1',
      ID: 'mon_1',
    },
  }
  // Nothing outside of the folder is written.
  const harmless = script.replaceAll(/>>?\s*[/~]\S*/g, '')
  const { output } = spawnSync('/bin/sh', ['-c', `${recorded.join('')}${harmless}`], {
    ...{ cwd: folder, env, encoding: 'utf8', timeout: 20_000 },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  return `${output[3] ?? ''}`
    .split('\u001e')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1))
}

const calls = samplesIn('sh').flatMap(({ place, text }) => callsIn(text).map((argv) => ({ place, argv })))

test('every command of a sample is one that pharos takes', () => {
  const own = calls.filter(({ argv }) => argv[0] === 'pharos')
  assert.ok(own.length > 40)
  const faults = own.flatMap(({ place, argv: [, ...argv] }) => {
    // Made when it is asked for, of all commands.
    if (argv[0] === 'completion') return []
    try {
      const request = findCommand(commands, argv)
      if (request.do === 'run') parseArguments(request.command, request.argv)
      return []
    } catch (error) {
      return `${place} pharos ${argv.join(' ')}: ${(error as Error).message}`
    }
  })
  assert.deepEqual(faults, [])
})

/** The request that a call of curl makes. */
function requestOf(argv: readonly string[]) {
  const options = new Map<string, string>()
  let url = ''
  for (let i = 1; i < argv.length; i += 1) {
    const word = argv[i] as string
    if (/^(-[XHdom]|--data-urlencode|--data-raw|--data-binary|--retry|--form|--header)$/.test(word)) {
      options.set(word === '-H' ? `-H ${argv[i + 1]?.split(':')[0]?.toLowerCase()}` : word, argv[i + 1] ?? '')
      i += 1
    } else if (/^https?:/.test(word)) url = word
  }
  const data = options.get('-d')
  return { url, method: options.get('-X') ?? (data === undefined ? 'GET' : 'POST'), data, options }
}

test('every call of curl in a sample is one of an operation, with a body that it takes', () => {
  const paths = Object.keys(openapi.paths).map((path) => ({
    path,
    form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  let bodies = 0
  for (const { place, argv } of calls.filter((call) => call.argv[0] === 'curl')) {
    const { url, method, data, options } = requestOf(argv)
    const at = `${place} ${method} ${url}`
    if (!url.startsWith('https://pharos.example.com/api/v1/')) continue
    const { pathname, searchParams } = new URL(url)
    const path = paths.filter(({ form }) => form.test(decodeURI(pathname))).map((one) => one.path)
    const known = path.sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))[0] ?? assert.fail(at)
    const operation = openapi.paths[known][method.toLowerCase()] ?? assert.fail(at)
    const names = (operation.parameters ?? []).flatMap(
      (one: { $ref?: string; name?: string }) => one.name ?? one.$ref?.split('/').at(-1),
    )
    for (const name of searchParams.keys()) assert.ok(names.includes(name), `${at}: ${name} of ${names}`)
    if (data === undefined) continue
    bodies += 1
    assert.equal(options.get('-H content-type'), 'Content-Type: application/json', at)
    const faults =
      operation.requestBody === undefined
        ? []
        : bodyFaults(JSON.parse(data.replaceAll('…', 'x')), known, method.toLowerCase())
    assert.deepEqual(faults, [], at)
  }
  assert.ok(bodies >= 8)
})
