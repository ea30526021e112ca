import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { containersChanged, listContainers } from '../../src/discovery/docker/list.ts'
import { listObjects, objectsChanged } from '../../src/discovery/kubernetes/list.ts'
import { mapObjects } from '../../src/discovery/kubernetes/map.ts'
import type { Endpoint } from '../../src/discovery/request.ts'
import { gateway, ingress, route, rule, service } from '../discovery/kubernetes/cluster.ts'
import { type Listener, listen } from '../support/listener.ts'
import { openShell, type Shell } from '../support/pharos-process.ts'
import { emptyDataDir } from '../support/sqlite.ts'

type Respond = (query: URLSearchParams, response: ServerResponse) => unknown

/** An API that answers as the test says, by the last part of the path. */
interface HostileApi extends AsyncDisposable {
  readonly endpoint: Endpoint
  readonly url: string
  respond: Readonly<Record<string, Respond>>
}

const items =
  (list: readonly unknown[]): Respond =>
  (_, response) =>
    response.end(JSON.stringify({ metadata: { resourceVersion: '7' }, items: list }))

async function startHostileApi(respond: HostileApi['respond'] = {}): Promise<HostileApi> {
  const listener: Listener = await listen(
    createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster')
      const name = pathname.split('/').at(-1) ?? ''
      const answer = api.respond[name] ?? items([])
      answer(searchParams, response)
    }),
  )
  const endpoint = { name: 'Kubernetes', isTls: false, options: { host: '127.0.0.1', port: listener.port } }
  const api: HostileApi = {
    endpoint,
    url: `http://127.0.0.1:${listener.port}`,
    respond,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
  return api
}

const never = new AbortController().signal

/** As documents refer to a variable of the environment. */
const VARIABLE = `\${SECRET}`

async function foundBy(api: HostileApi, all = true) {
  const { objects, problems } = await listObjects(api.endpoint, undefined, never)
  const mapped = mapObjects(objects, all)
  const addresses = mapped.found.map(({ fields }) => fields?.url ?? `${fields?.host}:${fields?.port}`)
  return { addresses, problems: [...problems, ...mapped.problems] }
}

const web = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  ingress(name, { rules: [rule(`${name}.example.com`, '/')] }, annotations)

describe('hostile texts of objects', () => {
  const folder = emptyDataDir()
  let api: HostileApi
  let shell: Shell
  before(async () => {
    api = await startHostileApi()
    const kubeconfig = join(folder, 'config')
    const config = {
      'current-context': 'lab',
      contexts: [{ name: 'lab', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server: api.url } }],
    }
    writeFileSync(kubeconfig, JSON.stringify(config))
    shell = openShell({ KUBECONFIG: kubeconfig, PHAROS_API_KEY: 'hush-key', SECRET: 'hush-value' })
  })
  after(async () => {
    await shell[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  test('are in the document as they were written, and never the value of a variable', async () => {
    const names = [
      `\${SECRET} $\${SECRET} \${PHAROS_API_KEY}`,
      '`id` $(id) %SECRET% {{ SECRET }}',
      'a: b # c',
      '- &x *x !!js/function "y"',
      '"quoted" \'single\' \\ back',
      '__proto__',
      'yes',
      '2026-11-19',
      'line\u2028separator',
      '| block',
      '日本 👩‍🚀',
    ]
    const labels = `a=${VARIABLE},b=__proto__`
    const ingresses = names.map((name, i) => web(`w${i}`, { 'pharos.io/name': name, 'pharos.io/labels': labels }))
    api.respond = { ingresses: items([...ingresses, ingress('host', { rules: [rule('constructor', '/')] }, {})]) }
    const printed = await shell.run('discover', 'kubernetes', '--all')
    assert.deepEqual([printed.code, printed.stderr], [0, ''])
    const { monitors } = parse(printed.stdout)
    const said = (text: string) => text.replaceAll('${', () => '$${')
    for (const [i, name] of names.entries()) {
      const monitor = monitors[`w${i}-example-com`]
      assert.equal(monitor.name, said(name))
      assert.deepEqual({ ...monitor.labels }, { namespace: 'shop', a: said(VARIABLE), b: '__proto__' })
    }
    assert.equal(monitors.constructor.url, 'http://constructor/')
    const file = join(folder, 'found.yaml')
    for (const _ of ['write', 'read and write']) {
      const written = await shell.run('discover', 'kubernetes', '--all', '--output', file)
      assert.deepEqual([written.code, written.stderr], [0, ''])
      assert.deepEqual(parse(readFileSync(file, 'utf8')).monitors, monitors)
    }
    for (const text of [printed.stdout, readFileSync(file, 'utf8')]) assert.doesNotMatch(text, /hush-/)
  })

  test('that cannot be used are reported in short lines without control characters, and the others are found', async () => {
    const host = (text: unknown) => ingress('odd', { rules: [{ host: text }] }, {})
    const spec = (value: unknown) => ({ metadata: { name: 'odd', namespace: 'shop' }, spec: value })
    const odd = [
      ...['*.example.com', 'user:pw@a.example.com', 'a.example.com:99999', 'a.example.com:8080', 'a b', 'a/../b'],
      ...['a\nb', 'a?x', 'a#x', '', '-a', '::1', '[::1]', 'x'.repeat(300), '\u001b]0;title\u0007', '\u202emoc.live'],
    ].map(host)
    const annotated = [
      { 'pharos.io/http': 'https://a.example.com/\nHost: b' },
      { 'pharos.io/http': 'javascript:alert(1)' },
      { 'pharos.io/http': 'https://user:pw@a.example.com/' },
      { 'pharos.io/tcp': 'a.example.com:port' },
      { 'pharos.io/name': 'x'.repeat(1_000_000) },
      { 'pharos.io/labels': `${'x,'.repeat(100_000)}` },
      { [`pharos.io/${'x'.repeat(100_000)}`]: 'true' },
      { 'pharos.io/\u001b[2J.http': 'https://a.example.com' },
      { 'pharos.io/__proto__.http': 'https://a.example.com' },
      { 'pharos.io/interval': '1e308', 'pharos.io/timeout': '-1', 'pharos.io/expected-status': '200;' },
    ].map((annotations, i) => ingress(`a${i}`, { rules: [] }, { 'pharos.io/enabled': 'true', ...annotations }))
    const malformed = [null, 1, 'x', [], {}, { metadata: null }, spec(7), spec({ rules: {} }), spec({ rules: [null] })]
    const deep = spec({ rules: [{ host: 'deep.example.com', http: { paths: [{ path: { a: [[[]]] } }] } }] })
    const list = [...odd, ...annotated, ...malformed, deep, host({ toString: 1 }), web('good')]
    const annotations = { 'pharos.io/enabled': 'true' }
    const services = [
      { ...service('s', [{ port: 'x' }], annotations) },
      { ...service('t', [{ port: 70_000 }], annotations) },
      { ...service('u', [{ port: 80 }], annotations), spec: { ports: [{ port: 80 }], externalName: 'evil/path?' } },
      service('v', [{ port: 80, name: 'http' }], { ...annotations, 'pharos.io/path': '/a\r\nb' }),
      service('ok', [{ port: 5432 }], annotations),
    ]
    api.respond = { ingresses: items(list), services: items(services) }
    const { code, stdout, stderr } = await shell.run('discover', 'kubernetes', '--all')
    assert.equal(code, 0, stderr)
    const monitors = Object.values<{ url?: string; host?: string }>(parse(stdout).monitors)
    assert.deepEqual(
      monitors.map(({ url, host: name }) => url ?? name),
      ['http://good.example.com/', 'ok.shop.svc'],
    )
    const lines = stderr.trimEnd().split('\n')
    assert.ok(lines.length <= 101, `${lines.length} lines`)
    for (const line of lines) {
      assert.ok(line.length <= 520, line)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the test looks for
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e]/)
    }
    for (const known of [
      /Ingress shop\/odd: has no host that can be requested/,
      /Ingress without a name cannot be used: it is not an object/,
      /Ingress shop\/odd cannot be used: spec\.rules is not a list/,
      /Ingress shop\/a4: pharos\.io\/name is too long; 2048 characters are allowed/,
      /Service shop\/s cannot be used: spec\.ports\.port is not a port/,
      /Service shop\/u: "evil\/path\?" is not a host name/,
    ]) {
      assert.match(stderr, known)
    }
  })
})

describe('a cluster with very many objects', () => {
  test('is read whole, and one object adds only so many monitors', async () => {
    const routes = Array.from({ length: 10_000 }, (_, i) => web(`r${i}`))
    const listeners = Array.from({ length: 64 }, (_, i) => ({ name: `l${i}`, port: 8_000 + i, protocol: 'HTTP' }))
    const spec = {
      hostnames: Array.from({ length: 16 }, (_, i) => `h${i}.example.com`),
      parentRefs: Array.from({ length: 32 }, () => ({ name: 'g' })),
      rules: Array.from({ length: 16 }, (_, i) => ({
        matches: Array.from({ length: 64 }, (_, j) => ({ path: { type: 'PathPrefix', value: `/${i}/${j}` } })),
      })),
    }
    const many = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`pharos.io/m${i}.http`, `https://m${i}.example.com/`]),
    )
    await using api = await startHostileApi({
      ingresses: items([...routes, ingress('many', { rules: [] }, many)]),
      gateways: items([gateway('g', ...listeners)]),
      httproutes: items([route('product', spec)]),
    })
    const { addresses, problems } = await foundBy(api)
    assert.equal(addresses.length, 10_000 + 100 + 500)
    assert.deepEqual(problems, [
      'Ingress shop/many: describes more than 100 monitors; the others are left out',
      'HTTPRoute shop/product: has more than 500 addresses; the others are left out',
    ])
  })

  test('is read in smaller pages if the objects of one namespace are very large', async () => {
    const large = Array.from({ length: 60 }, (_, i) => ({ ...web(`l${i}`), status: 'x'.repeat(1_400_000) }))
    const all = [web('first'), ...large, web('last')]
    const limits: number[] = []
    await using api = await startHostileApi({
      ingresses(query, response) {
        const [from, limit] = [Number(query.get('continue') ?? 0), Number(query.get('limit'))]
        limits.push(limit)
        const next = from + limit < all.length ? { continue: String(from + limit) } : {}
        response.end(JSON.stringify({ metadata: next, items: all.slice(from, from + limit) }))
      },
    })
    const { addresses } = await foundBy(api)
    assert.equal(addresses.length, 62)
    assert.deepEqual([...new Set(limits)], [500, 50, 5])
  })

  test('whose lists never end, or are no lists, is refused with a sentence', async () => {
    const page = JSON.stringify({ metadata: { continue: 'more' }, items: Array(500).fill({}) })
    const cases: readonly (readonly [answer: string | Respond, fault: RegExp])[] = [
      [page, /^Kubernetes lists more than 50000 ingresses; choose a --namespace$/],
      ['null', /^Kubernetes cannot list ingresses: it did not answer with a list$/],
      ['[]', /it did not answer with a list$/],
      ['{"items":{"length":5}}', /it did not answer with a list$/],
      ['{"metadata":7,"items":null}', /it did not answer with a list$/],
      ['nonsense', /^Kubernetes did not answer with JSON: /],
      [`{"items":${'['.repeat(8_000_000)}`, /^Kubernetes did not answer with JSON: /],
      [' '.repeat(17 * 1024 * 1024), /^Kubernetes cannot list ingresses: its answer is too large$/],
      [
        (_, response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
        /^The answer of Kubernetes ended: /,
      ],
      [
        (_, response) => response.writeHead(500).end(JSON.stringify({ message: 'x'.repeat(50_000) })),
        /^Kubernetes answered with 500: x{200,299}…$/,
      ],
      [(_, response) => response.writeHead(500).end('x'.repeat(5_000_000)), /^Kubernetes answered with 500$/],
      [
        (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
        /^Kubernetes answered with 302$/,
      ],
    ]
    for (const [answer, fault] of cases) {
      const respond: Respond = typeof answer === 'string' ? (_, response) => response.end(answer) : answer
      await using api = await startHostileApi({ ingresses: respond })
      await assert.rejects(listObjects(api.endpoint, undefined, never), (error: Error) => {
        assert.equal(error.name, 'DiscoveryError')
        assert.match(error.message, fault)
        return true
      })
    }
  })

  test('with deep or inherited members in its answers is read as if they were not there', async () => {
    const nested = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const object = `{"metadata":{"name":"n","namespace":"shop","annotations":{"__proto__":{"x":1},"pharos.io/http":"https://n.example.com/"},"managedFields":${nested}},"__proto__":{"spec":{"rules":[]}},"spec":null}`
    await using api = await startHostileApi({
      ingresses: (_, response) => response.end(`{"__proto__":{"items":[]},"items":[${object}]}`),
    })
    assert.deepEqual(await foundBy(api, false), { addresses: ['https://n.example.com/'], problems: [] })
    assert.equal(({} as { spec?: unknown }).spec, undefined)
  })
})

describe('a stream of events', () => {
  const versions = { ingresses: '1', httproutes: undefined, gateways: undefined, services: undefined }
  const list = { objects: { ingresses: [], httproutes: [], gateways: [], services: [] }, problems: [], versions }
  const watchOf = async (text: string) => {
    await using api = await startHostileApi({ ingresses: (_, response) => response.writeHead(200).end(text) })
    return await objectsChanged(api.endpoint, undefined, list, never)
  }

  test('that never ends a line ends with a fault instead of growing', async () => {
    let sent = 0
    const endless: Respond = (_, response) => {
      const send = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536
        if (!response.destroyed) response.once('drain', send)
      }
      send()
    }
    await using api = await startHostileApi({ ingresses: endless, events: endless })
    const tooLarge = /^DiscoveryError: Events of Kubernetes ended: an event is too large$/
    await assert.rejects(objectsChanged(api.endpoint, undefined, list, never), tooLarge)
    const containers = { containers: [], problems: [], atSeconds: 0 }
    await assert.rejects(containersChanged(api.endpoint, containers, never), tooLarge)
    assert.ok(sent < 64 * 1024 * 1024, 'the rest was not read')
  })

  test('counts an event of any form as a change, and is a fault if it is no JSON', async () => {
    for (const event of ['null', '7', '"x"', '[]', '{}', '{"type":["ADDED"],"object":null}'])
      assert.equal(await watchOf(`\n\n${event}\n`), true, event)
    assert.equal(await watchOf('\n\n'), false)
    assert.equal(await watchOf('{"type":"ADDED"'), false, 'a line that is not complete')
    await assert.rejects(watchOf('<html>\n'), /Events of Kubernetes ended: Unexpected token/)
  })

  test('of containers may have members of any type', async () => {
    for (const event of ['null', '7', '{"Action":{"a":1}}', '{"status":[]}']) {
      await using api = await startHostileApi({ events: (_, response) => response.end(`${event}\n`) })
      assert.equal(await containersChanged(api.endpoint, { containers: [], problems: [], atSeconds: 0 }, never), true)
    }
  })
})

test('containers of another form are reported, and the others are read', async () => {
  const good = { Id: 'a'.repeat(64), Names: ['/web'], Labels: null, State: 'running', Ports: null }
  const bad = [null, 5, {}, { ...good, Names: 7 }, { ...good, Labels: { 'pharos.http': 80 } }, { ...good, Ports: [{}] }]
  await using api = await startHostileApi({ json: (_, response) => response.end(JSON.stringify([...bad, good])) })
  const { containers, problems } = await listContainers(api.endpoint, never)
  assert.deepEqual(
    containers.map(({ Names }) => Names),
    [['/web']],
  )
  assert.equal(problems.length, bad.length)
  assert.match(problems.join('\n'), /^Container a{64} cannot be used: Labels\.pharos\.http is not a text$/m)
})
