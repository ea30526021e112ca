import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import Type from 'typebox'
import { operation } from '../../../src/contract/operation.ts'
import { oneOf, resource } from '../../../src/contract/schema.ts'
import { openApiDocument } from '../../../src/server/operations/openapi/document.ts'
import { languages, samples } from '../../../src/server/reference/code-samples.ts'
import { fieldsOf } from '../../../src/server/reference/fields.ts'
import { modelOf, type OpenApi, slugOf } from '../../../src/server/reference/model.ts'
import { prettyJson } from '../../../src/server/reference/pretty-json.ts'
import { createReference } from '../../../src/server/reference/reference.ts'
import { constant } from '../../../src/storage/query.ts'

const MAX_GZIP_BYTES = 400 * 1024

const committed = readFileSync('openapi.json', 'utf8')
const document: OpenApi = JSON.parse(committed)
const { operations: documented, events, resolve } = modelOf(document)
const files = createReference(document)

async function textOf(path: string, from = files): Promise<string> {
  const content = from.get(path)?.()
  assert.ok(content, path)
  return (await content.variant('identity')).body.toString()
}

test('every operation has a section with its path, its fields, every error and examples in all languages', async () => {
  for (const { id, method, path, tag, body, errors, isUpload } of documented) {
    const page = await textOf(`/docs/${slugOf(tag)}`)
    const start = page.indexOf(`<section class="operation" id="${id}"`)
    assert.ok(start > 0, id)
    const section = page.slice(start, page.indexOf('</section>', start))
    assert.ok(section.includes(`<code>${path}</code>`) && section.includes(`>${method}</span>`), id)
    for (const { status } of errors)
      assert.ok(section.includes(`<span class="status">${status}</span>`), `${id} ${status}`)
    for (const language of isUpload ? ['curl'] : Object.keys(languages)) {
      assert.ok(section.includes(`class="code sample" data-language="${language}"`), `${id} in ${language}`)
    }
    for (const { name } of body === undefined ? [] : fieldsOf(body.schema, resolve)) {
      assert.ok(section.includes(`<code class="name">${name}</code>`), `${id} ${name}`)
    }
  }
})

test('the settings of every channel stand below the body of a contact', async () => {
  const page = await textOf('/docs/contacts')
  for (const field of ['webhookUrl', 'routingKey', 'topic', 'botToken', 'address', 'headerName']) {
    assert.ok(page.includes(`<code class="name">${field}</code>`), field)
  }
  assert.match(page, /required for SLACK, DISCORD, TEAMS/)
  assert.match(page, /PAGERDUTY: /)
})

test('every webhook event has a section with its example', async () => {
  const page = await textOf('/docs/webhook-events')
  assert.equal(events.length, 22)
  for (const { summary, body } of events) {
    const [, section = ''] = page.split(`<section class="operation" id="${summary}"`)
    const [, code = ''] = /<pre tabindex="0"><code>(.*?)<\/code>/s.exec(section.split('</section>')[0] ?? '') ?? []
    const text = code
      .replace(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
    assert.deepEqual(JSON.parse(text), body?.examples[0]?.value, summary)
  }
})

test('every link of the reference leads to a page and, with a fragment, to an element of it', async () => {
  const pages = [...files.keys()].filter((path) => !path.startsWith('/docs/assets/'))
  const index: { u: string }[] = JSON.parse(
    await textOf([...files.keys()].find((path) => path.includes('/search-')) as string),
  )
  const links = index.map(({ u }) => ({ from: 'search', href: u }))
  for (const from of pages) {
    for (const [, href = ''] of (await textOf(from)).matchAll(/href="((?:\/docs|#)[^"]*)"/g)) {
      links.push({ from, href: href.startsWith('#') ? from + href : href })
    }
  }
  for (const { from, href } of links) {
    const [path = '', fragment] = href.split('#')
    const page = await textOf(path).catch(() => assert.fail(`${from} links to ${href}`))
    if (fragment) assert.ok(page.includes(`id="${fragment}"`), `${from} links to ${href}`)
  }
  assert.ok(links.length > 200)
})

test('all pages and files together are at most 400 KB with gzip', async () => {
  let bytes = 0
  for (const path of files.keys()) bytes += gzipSync(await textOf(path)).length
  assert.ok(bytes <= MAX_GZIP_BYTES, `${bytes} bytes`)
})

test('the name of the search index changes with its content', async () => {
  const nameOf = (from: OpenApi) => [...createReference(from).keys()].find((path) => path.includes('/search-'))
  const changed: OpenApi = JSON.parse(committed)
  assert.equal(nameOf(document), nameOf(changed))
  const pause = changed.paths['/api/v1/monitors/{monitorId}/pause']?.post as { summary: string }
  pause.summary = 'Stop a monitor'
  assert.notEqual(nameOf(changed), nameOf(document))
})

test('a field of a union says for which variants it is required', () => {
  const body = documented.find(({ id }) => id === 'createMonitor')?.body
  const fields = fieldsOf(body?.schema ?? {}, resolve)
  const field = (name: string) => fields.find((one) => one.name === name)
  assert.equal(field('name')?.required, 'required')
  assert.equal(field('host')?.required, 'required for PING, PORT')
  assert.equal(field('keyword')?.required, 'required for KEYWORD')
  assert.equal(field('method')?.required, undefined)
  assert.deepEqual(field('type')?.values, ['HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN'])
  assert.deepEqual(field('intervalSeconds')?.bounds, ['30 to 86,400'])
  assert.equal(field('intervalSeconds')?.default, '300')
  assert.deepEqual(field('expectedStatus')?.bounds, ['1 to 100 items', 'each 100 to 599'])
})

test('a new operation appears, and its text is escaped', async () => {
  const added = operation({
    id: 'listThings',
    method: 'GET',
    path: '/things/:thingId',
    access: 'read',
    tag: 'Insight',
    summary: 'List <b>things</b>',
    description: 'Uses `a < b` & "quotes".',
    params: Type.Object({ thingId: Type.String({ minLength: 1 }) }),
    answer: {
      status: 200,
      schema: resource('Thing', { kind: oneOf(['A', 'B'] as const), at: Type.String() }),
      description: 'It',
    },
    handle: () => constant({ kind: 'A' as const, at: '' }),
  })
  const page = await textOf(
    '/docs/insight',
    createReference(JSON.parse(JSON.stringify(openApiDocument([added], 'https://pharos.example')))),
  )
  assert.ok(page.includes('List &lt;b&gt;things&lt;/b&gt;'))
  assert.ok(page.includes('Uses <code>a &lt; b</code> &amp; &quot;quotes&quot;.'))
})

test('JSON is spread out, with short lists in one line', () => {
  const text = prettyJson({ a: [1, 2], b: { c: null }, d: [], long: ['x'.repeat(40), 'y'.repeat(40)] })
  assert.deepEqual(text.split('\n').slice(0, 4), ['{', '  "a": [1, 2],', '  "b": { "c": null },', '  "d": [],'])
  assert.equal(text.split('\n').length, 9)
  assert.equal(prettyJson({}), '{}')
})

const anyRequest = {
  baseUrl: 'https://pharos.example',
  params: {},
  query: {},
  body: undefined,
  isText: false,
  cli: undefined,
  client: undefined,
  isUpload: false,
}

test('samples of changes send an Idempotency-Key, and those of text answers read no JSON', async () => {
  const change = { ...anyRequest, method: 'DELETE', url: 'https://pharos.example/x' }
  const read = { ...change, method: 'GET', isText: true }
  for (const sample of [samples.curl, samples.javascript, samples.python]) {
    assert.match(sample(change) ?? '', /Idempotency-Key/)
    assert.doesNotMatch(sample(read) ?? '', /Idempotency-Key|json\(/)
  }
})

test('code samples survive quotes, and the Python one is valid', () => {
  const request = {
    ...anyRequest,
    method: 'POST',
    url: 'https://pharos.example/api/v1/x?a=b&c=d',
    body: { name: `it's "x"`, on: true, off: null, list: [1] },
  }
  assert.ok(samples.curl(request).includes(`'{"name":"it'\\''s \\"x\\"","on":true,"off":null,"list":[1]}'`))
  assert.ok(samples.curl(request).includes(`'https://pharos.example/api/v1/x?a=b&c=d'`))
  assert.doesNotThrow(() => new Function('fetch', 'process', `return async () => { ${samples.javascript(request)} }`))
  const read = 'import ast, json, sys; call = ast.parse(sys.stdin.read()).body[3].value'
  const value = '{k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg == "json"}["json"]'
  const python = execFileSync('python3', ['-c', `${read}; print(json.dumps(${value}))`], {
    input: samples.python(request),
    encoding: 'utf8' as const,
  })
  assert.deepEqual(JSON.parse(python), request.body)
  const echoed = execFileSync('sh', ['-c', samples.curl(request).replace(/^curl/, 'printf "%s\\n"')], {
    encoding: 'utf8',
  })
  assert.deepEqual(JSON.parse(echoed.trim().split('\n').at(-1) as string), request.body)
})
