import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { allOperations, type DocumentedOperation } from '../../../src/cli/api/document.ts'
import { requestOf, toolInput } from '../../../src/cli/mcp/input-schema.ts'
import { describeTool, groupName, isInGroups, toolsOf } from '../../../src/cli/mcp/tools.ts'
import type { JsonSchema } from '../../../src/lib/json-schema.ts'
import { operationExamples } from '../../../src/server/operations/examples/operations.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { program } from '../../support/pharos-process.ts'

const tools = toolsOf(allOperations())
const described = tools.map(describeTool)

function tool(name: string) {
  const found = described.find((each) => each.name === name)
  assert.ok(found, name)
  return { ...found, properties: (found.inputSchema.properties ?? {}) as Record<string, JsonSchema> }
}

test('every operation is a tool with a name that all clients accept', () => {
  const withoutFiles = operations.filter(({ isUpload }) => isUpload !== true)
  assert.deepEqual(tools.map(({ operation }) => operation.id).toSorted(), withoutFiles.map(({ id }) => id).toSorted())
  for (const { name, description = '' } of described) {
    assert.match(name, /^[a-z][a-z_]{2,63}$/)
    assert.ok(description.length > 10, name)
  }
  assert.equal(new Set(described.map(({ name }) => name)).size, described.length)
})

test('arguments are objects without unions at the top and without references', () => {
  for (const { name, inputSchema } of described) {
    assert.equal(inputSchema.type, 'object', name)
    assert.ok(!('oneOf' in inputSchema || 'anyOf' in inputSchema || 'allOf' in inputSchema), name)
    assert.ok(!JSON.stringify(inputSchema).includes('$ref'), name)
    for (const field of (inputSchema.required ?? []) as string[])
      assert.ok(field in (inputSchema.properties ?? {}), name)
  }
})

test('arguments have their bounds, and say for which variants they are required', () => {
  const { properties, inputSchema } = tool('create_monitor')
  assert.equal(properties.url?.pattern, undefined, 'DNS, SSL and DOMAIN monitors have a host name')
  assert.deepEqual([properties.intervalSeconds?.minimum, properties.intervalSeconds?.maximum], [30, 86_400])
  assert.match(properties.host?.description ?? '', /Required for type PING, PORT$/)
  for (const { name, inputSchema } of described) {
    assert.doesNotMatch(JSON.stringify(inputSchema), /\.\. [A-Z]/, `${name} has a sentence with two full stops`)
  }
  assert.deepEqual(inputSchema.required, ['name', 'type'])
  const { limit } = tool('list_monitors').properties
  assert.deepEqual([limit?.minimum, limit?.maximum, limit?.default], [1, 100, 25])
  assert.deepEqual(tool('get_monitor').inputSchema.required, ['monitorId'])
})

test('the tools that are offered by default take at most 12,000 tokens, and all have their place in a group', () => {
  const offered = tools.filter((each) => isInGroups(each)).map(describeTool)
  const bytes = Buffer.byteLength(JSON.stringify({ tools: offered }))
  // A token is about four bytes.
  assert.ok(bytes <= 48_000, `${bytes} bytes`)
  assert.ok(offered.length >= 20 && offered.length <= 30, `${offered.length} tools`)
  const documented = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8')
  for (const { name } of offered) assert.ok(documented.includes(`\`${name}\``), `docs/mcp.md does not name ${name}`)
  for (const each of tools) {
    assert.ok(isInGroups(each, ['all']) && isInGroups(each, [groupName(each.operation)]), each.name)
  }
})

test('schemas of arguments have no patterns, times have their format, and deep objects name their fields', () => {
  assert.doesNotMatch(JSON.stringify(described.map(({ inputSchema }) => inputSchema)), /"pattern(Properties)?":|"not":/)
  assert.equal(tool('mute_monitor').properties.until?.format, 'date-time')
  const { request } = tool('try_monitor').properties.options?.properties ?? {}
  assert.match(request?.description ?? '', /^Fields: auth, clientCertificate, /)
  assert.equal(request?.properties, undefined)
})

test('the settings of a contact have the fields of all channels', () => {
  for (const name of ['create_contact', 'update_contact']) {
    const { properties = {}, required } = tool(name).properties.settings ?? {}
    assert.ok('webhookUrl' in properties && 'routingKey' in properties, name)
    assert.equal(required, undefined, 'which are required depends on the channel')
  }
})

test('tools that read an object describe it, so that every example of the reference matches', () => {
  const ajv = new Ajv2020({ strict: false })
  let examples = 0
  for (const { name, operation } of tools) {
    const { outputSchema } = tool(name)
    assert.equal(outputSchema !== undefined, !operation.isChange && operation.answer().type === 'object', name)
    const { answer } = operationExamples[operation.id] ?? {}
    if (outputSchema === undefined || answer === undefined) continue
    const validate = ajv.compile(outputSchema)
    assert.ok(validate(withoutNull(answer)), `${name}: ${ajv.errorsText(validate.errors)}`)
    examples += 1
  }
  assert.ok(examples > 50)
  const { data } = tool('list_incidents').outputSchema?.properties ?? {}
  assert.deepEqual(data?.items?.properties?.startedAt, { type: 'string' })
})

function withoutNull(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part) => (part === null ? undefined : part)))
}

test('annotations tell reading, changing and notifying tools apart', () => {
  const hints = (name: string) => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool(name).annotations ?? {}
    return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }
  }
  const no = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
  const [destructiveHint, idempotentHint, openWorldHint] = [true, true, true]
  for (const [name, expected] of Object.entries({
    list_monitors: { readOnlyHint: true, idempotentHint },
    create_monitor: { openWorldHint },
    update_monitor: { destructiveHint, idempotentHint, openWorldHint },
    delete_monitor: { destructiveHint, idempotentHint },
    pause_monitor: { destructiveHint, idempotentHint },
    resume_monitor: { idempotentHint, openWorldHint },
    check_monitor: { openWorldHint },
    try_monitor: { openWorldHint },
    set_monitor_labels: { destructiveHint, idempotentHint },
    attach_contact: { idempotentHint },
    acknowledge_incident: { idempotentHint },
    plan_configuration: { readOnlyHint: true },
    create_incident_note: {},
    rotate_webhook_secret: { destructiveHint },
    test_webhook_endpoint: { openWorldHint },
    create_contact: { openWorldHint },
    update_published_incident: { destructiveHint, openWorldHint },
    create_published_incident: { openWorldHint },
  })) {
    assert.deepEqual(hints(name), { ...no, ...expected }, name)
  }
  for (const { id, access, isUpload, readOnlyKeys } of operations) {
    if (isUpload === true) continue
    const { operation } = tools.find((each) => each.operation.id === id) ?? {}
    assert.equal(operation?.isChange, access === 'write' && readOnlyKeys !== true, id)
  }
})

test('every operation that notifies people is declared so, and asks for the argument notify', () => {
  for (const { id, path, body, notifies } of operations) {
    const fields = Object.keys((body as { properties?: object } | undefined)?.properties ?? {})
    const isObvious =
      /\/(test|retry|retry-failed)$|^\/contacts\/.*\/confirmation$/.test(path) || fields.includes('notifySubscribers')
    if (isObvious) assert.equal(notifies, true, `${id} needs "notifies: true"`)
    // The address of a contact is asked to confirm.
    if (path.startsWith('/contacts') && fields.includes('settings')) assert.ok(notifies, `${id} needs "notifies"`)
  }
  for (const { operation, input } of tools) {
    const { required, properties = {} } = input().schema
    assert.equal('notify' in properties, operation.notifies !== false, operation.id)
    assert.equal(required?.includes('notify') === true, operation.notifies === true, operation.id)
    assert.ok(!('notifySubscribers' in properties), operation.id)
  }
})

test('an address is sent nothing unless the call says so', () => {
  const requested = (name: string, given: Record<string, unknown>) => {
    const found = tools.find((each) => each.name === name)
    assert.ok(found)
    const request = requestOf(found.operation, found.input(), given)
    return 'problem' in request ? request.problem : request.body
  }
  const settings = { address: 'stranger@example.com' }
  const created = { name: 'A', channel: 'EMAIL', settings }
  assert.equal(requested('create_contact', created), 'notify is required')
  assert.match(String(requested('create_contact', { ...created, notify: false })), /^The call was not made/)
  assert.deepEqual(requested('create_contact', { ...created, notify: true }), created)
  const changed = { contactId: 'con_1', settings }
  assert.match(String(requested('update_contact', changed)), /^The call was not made: settings can notify people/)
  assert.deepEqual(requested('update_contact', { ...changed, notify: true }), { settings })
  assert.deepEqual(requested('update_contact', { contactId: 'con_1', name: 'B' }), { name: 'B' })
})

test('tools of a group are listed together and name their group', () => {
  const groups = tools.map(({ operation }) => groupName(operation))
  const starts = groups.filter((group, i) => group !== groups[i - 1])
  assert.equal(new Set(starts).size, starts.length)
  assert.equal(tool('list_contacts').title, 'Contacts: List contacts')
  const listed = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8')
  for (const group of starts) assert.ok(listed.includes(`\`${group}\``), `docs/mcp.md does not name ${group}`)
})

test('a body with a field that is a parameter, too, is one argument', () => {
  const field = (name: string): JsonSchema => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
  })
  const operation: DocumentedOperation = {
    id: 'put',
    method: 'PUT',
    path: '/x/{id}',
    summary: 'Put',
    description: undefined,
    isDeprecated: false,
    group: 'X',
    isChange: true,
    isCreation: false,
    isUpload: false,
    notifies: false,
    params: () => field('id'),
    query: () => ({}),
    body: () => field('id'),
    answer: () => ({}),
    exampleParams: () => ({}),
    exampleBodies: () => [],
    answerHeaders: [],
  }
  const input = toolInput(operation)
  assert.deepEqual(input.schema.required, ['id', 'body'])
  const request = requestOf(operation, input, { id: 'a', body: { id: 'b' } })
  assert.deepEqual(request, { params: { id: 'a' }, query: {}, body: { id: 'b' }, fields: undefined })
})

test('a field of the body that is called body is sent as it is', () => {
  const found = tools.find(({ name }) => name === 'create_incident_note')
  assert.ok(found)
  const request = requestOf(found.operation, found.input(), { incidentId: 'inc_1', body: 'Rolled back.' })
  assert.deepEqual(request, {
    params: { incidentId: 'inc_1' },
    query: {},
    body: { body: 'Rolled back.' },
    fields: undefined,
  })
})

test('without a key the command ends with the reason, and nothing on standard output', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'mcp'], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8' as const,
  })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^pharos: PHAROS_API_KEY is not set/)
})

test('the command ends when its input ends', async () => {
  const child = spawn(process.execPath, [program, 'mcp'], {
    env: { PATH: process.env.PATH, PHAROS_API_KEY: 'phr_x' },
    stdio: ['pipe', 'ignore', 'inherit'] as const,
  })
  child.stdin?.end()
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('an unknown group is wrong usage', () => {
  const { status, stderr } = spawnSync(process.execPath, [program, 'mcp', '--groups', 'monitors,x'], {
    env: { PATH: process.env.PATH, PHAROS_API_KEY: 'phr_x' },
    encoding: 'utf8' as const,
  })
  assert.equal(status, 2)
  assert.match(stderr, /^pharos: --groups must be some of default, all, monitors, .*, not "x"/)
})
