import type { Endpoint } from '../../../clients/typescript/src/endpoint.ts'
import type { List, Page, Pharos, RequestOptions } from '../../../clients/typescript/src/index.ts'
import { isResourceId } from '../../../clients/typescript/src/resource-id.ts'
import { resources } from '../../../clients/typescript/src/resources.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { once } from '../../lib/once.ts'
import { colorStates, usesColor } from '../color-states.ts'
import { type Arguments, type ClientCommand, type Option, type Report, relativeTime, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { CONNECTION_NOTE } from '../environment.ts'
import { outputFormat } from '../parse-arguments.ts'
import { columnsFor, namedColumns } from './columns.ts'
import { clientOf, connectionOf, connectionOptions } from './connect.ts'
import { changeExitCode, changeText, noteOf, subjectOf } from './describe-change.ts'
import { displayDetails, displayRows, itemSchema, type Row } from './display.ts'
import { type DocumentedOperation, operationAt } from './document.ts'
import { exampleLines } from './example-lines.ts'
import { type Group, groups, nounOf, pluralOf } from './groups.ts'
import { bodyOptions, queryOptions, readBody, requireFields } from './options.ts'
import { readQuery, typedQuery } from './query.ts'
import { keepsOthers, keptFields, methodAt, replaceOptions } from './replace.ts'
import { resolveFields, resolveName, takesNames } from './resolve-names.ts'
import { choicesOf, fieldsOf, optionName } from './schema.ts'
import { untilEnded } from './until-ended.ts'
import { fittedLine, watch } from './watch.ts'

/** One operation as a command: `pharos monitors create`. */
interface Action {
  readonly group: Group
  /** The name of the method in the client. */
  readonly method: string
  readonly endpoint: Endpoint
  /** Read from the OpenAPI document at its first use. */
  readonly operation: () => DocumentedOperation
}

const listOptions: Readonly<Record<string, Option>> = {
  all: { help: 'Read all pages' },
  columns: { value: 'NAMES', help: 'The columns of the table: headings or fields, separated by commas' },
}
const watchOptions: Readonly<Record<string, Option>> = {
  watch: { help: 'Refresh until Ctrl+C' },
  every: { value: 'SECONDS', help: 'Seconds between refreshes, 1 to 3600 (default: 5)' },
}
const changeOptions: Readonly<Record<string, Option>> = {
  'idempotency-key': {
    value: 'KEY',
    help: 'Makes the change once, however often the command is run with the same key',
  },
}

const deleteOptions: Readonly<Record<string, Option>> = {
  yes: { help: 'Delete without asking' },
}

/** A command for every method of the client that sends no files: `pharos import` reads them itself. */
export const apiCommands: readonly ClientCommand[] = groups.flatMap((group) =>
  Object.entries<Endpoint>(resources[group.resource])
    .filter(([, { kind }]) => kind !== 'upload')
    .map(([method, endpoint]) => {
      return commandOf({ group, method, endpoint, operation: once(() => operationAt(endpoint.method, endpoint.path)) })
    }),
)

function commandOf(action: Action): ClientCommand {
  const { group, method, endpoint, operation } = action
  const ids = idsOf(endpoint)
  const options = once(() => ({
    ...(extensionOf(action) === undefined ? {} : queryOptions(typedQuery((extensionOf(action) as Action).operation()))),
    ...queryOptions(typedQuery(operation())),
    ...(endpoint.kind === 'send' ? bodyOptions(operation().body(), endpoint.method === 'PATCH') : {}),
    ...(keepsOthers(group, endpoint, operation()) ? replaceOptions : {}),
    ...(endpoint.kind === 'list' ? listOptions : {}),
    ...(isWatchable(action) ? watchOptions : {}),
    ...(endpoint.method === 'GET' ? {} : changeOptions),
    ...(canDelete(action) ? deleteOptions : {}),
    ...connectionOptions,
  }))
  const command: ClientCommand = {
    name: group.isOneCommand === true ? group.name : `${group.name} ${optionName(method)}`,
    get summary() {
      return group.summary ?? operation().summary
    },
    positionals: ids.length === 1 ? ['ID'] : ids.map((name) => optionName(name).toUpperCase()),
    get options() {
      return options()
    },
    notes: () => operation().description?.split('\n') ?? [],
    get examples() {
      return group.examples?.[method] ?? exampleLines(command.name, operation())
    },
    variables: [...(ids.some(takesNames) ? ['A name works instead of an ID if it is unique.'] : []), CONNECTION_NOTE],
    isGrouped: group.isOneCommand !== true,
    async call(environment, args) {
      requireIds(command, args)
      const connection = connectionOf(environment, args.options.profile)
      const report = await run(action, clientOf(connection), args, usesColor(environment) ? colorStates : plain)
      if (group.resource !== 'me' || report === undefined) return report
      const profile = connection.profile === undefined ? '' : ` (profile ${connection.profile})`
      return { ...report, text: `Server:        ${connection.url}${profile}\n${report.text}` }
    },
  }
  return command
}

/** The names of the parameters of the path. */
function idsOf({ path }: Endpoint): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

type Paint = (text: string) => string
const plain: Paint = (text) => text

/** Whether the command deletes something, or can. */
function canDelete({ method, endpoint, operation }: Action): boolean {
  if (endpoint.method === 'DELETE') return method.startsWith('delete')
  return endpoint.kind === 'send' && choicesOf(fieldsOf(operation().body()).action ?? {})?.includes('DELETE') === true
}

function requireIds({ positionals = [] }: ClientCommand, args: Arguments): void {
  const wrong = args.positionals.findIndex((id) => !isResourceId(id))
  if (wrong !== -1) throw new UsageError(`${positionals[wrong]} must be the ID of a resource`)
}

function isWatchable({ group, endpoint }: Action): boolean {
  return endpoint.kind === 'list' && group.isWatched === true
}

/** The list of an extension that takes more options than that of the specification. */
const extensions: Readonly<Record<string, string>> = { 'monitors.list': 'monitorList' }

function extensionOf({ group, method }: Action): Action | undefined {
  const extension = extensions[`${group.resource}.${method}`]
  if (extension === undefined) return undefined
  const endpoint = (resources[group.resource] as Readonly<Record<string, Endpoint>>)[extension] as Endpoint
  return { group, method: extension, endpoint, operation: once(() => operationAt(endpoint.method, endpoint.path)) }
}

/** The extension if an option is given that only it has. */
function actionFor(action: Action, { options, repeated, negated }: Arguments): Action {
  const own = queryOptions(action.operation().query())
  const extension = extensionOf(action)
  const given = [...Object.keys(options), ...Object.keys(repeated), ...negated]
  const more = extension === undefined ? {} : queryOptions(typedQuery(extension.operation()))
  return given.some((name) => name in more && !(name in own)) ? (extension as Action) : action
}

async function run(asked: Action, pharos: Pharos, args: Arguments, paint: Paint): Promise<Report | undefined> {
  const action = actionFor(asked, args)
  const { endpoint, operation } = action
  const fields = readQuery(operation(), args, Date.now())
  const wanted = readWanted(action, args)
  const names = idsOf(endpoint)
  const ids = await Promise.all(args.positionals.map((id, i) => resolveName(pharos, names[i] ?? '', id)))
  const query = await resolveFields(pharos, fields)
  if (endpoint.kind === 'list') return runList(action, pharos, { ...args, positionals: ids }, query, paint)
  const body = { ...(await keptFields(action, pharos, ids, args, wanted)), ...(await resolveFields(pharos, wanted)) }
  if (endpoint.kind === 'send') requireFields(operation().body(), body)
  await confirmDeletion(action, pharos, ids, args, body)
  const key = args.options['idempotency-key']
  let note = ''
  const options: RequestOptions = {
    ...(key === undefined ? {} : { idempotencyKey: key }),
    onResponse: (response) => {
      announceWait(response)
      note = noteOf(response.headers)
    },
  }
  const input = endpoint.kind === 'find' ? [query] : endpoint.kind === 'send' ? [body] : []
  const answer = await methodOf(action, pharos)(...ids, ...input, options)
  if (answer === null) return { text: 'None', json: null }
  const schema = operation().answer()
  const text =
    typeof answer === 'string'
      ? answer
      : endpoint.method === 'GET'
        ? detailsText(action, answer as Row, schema)
        : changeText(action.method, action.group, answer as Row, schema, args.positionals)
  return { text: `${text}${note}`, json: answer, exitCode: changeExitCode(answer as Row) }
}

function detailsText({ group, method }: Action, answer: Row, schema: JsonSchema): string {
  const { columns: width, isTTY } = process.stdout
  const shown = group.details?.(answer) ?? answer
  const columns = (items: readonly Row[], described: JsonSchema) => columnsFor(group, method, items, described)
  const text = displayDetails(shown, schema, { columns, ...(isTTY && { width }) })
  const { data, pagination } = answer as { data?: readonly unknown[]; pagination?: { readonly total: number } }
  return data !== undefined && pagination !== undefined
    ? [text, ...partNote(data.length, pagination.total)].join('\n')
    : text
}

function partNote(count: number, total: number): string[] {
  return count < total ? ['', `Showing ${count} of ${total}. Use --all for all, or --limit and --offset.`] : []
}

/** What the command line asks for. A change of what exists must name something: without fields, PUT would reset all of them. */
function readWanted({ group, endpoint, operation }: Action, args: Arguments): Row {
  if (endpoint.kind !== 'send') return {}
  const schema = operation().body()
  const wanted = readBody(schema, args, Date.now())
  const isChange = endpoint.method === 'PUT' || endpoint.method === 'PATCH'
  if (isChange && args.options.body === undefined && Object.keys(wanted).length === 0) {
    const remove = methodAt(group, 'DELETE', endpoint.path)
    const hint = remove === undefined ? '' : `. "pharos ${group.name} ${optionName(remove)}" resets them`
    throw new UsageError(`Give at least one option${hint}`)
  }
  if (!keepsOthers(group, endpoint, operation())) requireFields(schema, wanted)
  return wanted
}

async function confirmDeletion(
  action: Action,
  pharos: Pharos,
  ids: readonly string[],
  { options }: Arguments,
  body: Row,
): Promise<void> {
  if (options.yes !== undefined || !canDelete(action)) return
  if (action.endpoint.method === 'DELETE') await confirm(() => deletionQuestion(action, pharos, ids))
  else if (body.action === 'DELETE') await confirm('Delete these monitors with their history?')
}

/** With the name of what is deleted, if it can be read. */
async function deletionQuestion({ group, endpoint }: Action, pharos: Pharos, ids: readonly string[]): Promise<string> {
  const method = methodAt(group, 'GET', endpoint.path)
  if (method === undefined) return `Delete ${ids.at(-1)}?`
  const found = (await callable(pharos, group, method)(...ids)) as Row
  return `Delete ${nounOf(group)} ${subjectOf(found)}?`
}

/** The client waits and repeats the request. */
function announceWait({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
  const seconds = headers.get('retry-after')
  if (status !== 429 || seconds === null || !process.stderr.isTTY) return
  process.stderr.write(`Rate limit reached; waiting ${seconds} s\n`)
}

function methodOf({ group, method }: Action, pharos: Pharos): (...args: unknown[]) => unknown {
  return callable(pharos, group, method)
}

function callable(pharos: Pharos, { resource }: Group, method: string): (...args: unknown[]) => unknown {
  const methods = pharos[resource] as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>
  return methods[method] as (...args: unknown[]) => unknown
}

const LONGEST_WAIT_SECONDS = 3600

async function runList(
  action: Action,
  pharos: Pharos,
  args: Arguments,
  query: Row,
  paint: Paint,
): Promise<Report | undefined> {
  const { positionals, options } = args
  const read = async (more: RequestOptions = {}): Promise<Report> => {
    const settings = options.watch === undefined ? { onResponse: announceWait } : {}
    const list = methodOf(action, pharos)(...positionals, query, { ...settings, ...more }) as List<Row>
    const page = options.all === undefined ? await list.page() : await wholeList(list, query)
    return listReport(action, page, options.columns)
  }
  if (options.watch === undefined) {
    if (options.every !== undefined) throw new UsageError('--every needs --watch')
    return read()
  }
  const everySeconds = Number(options.every ?? 5)
  if (!(everySeconds >= 1 && everySeconds <= LONGEST_WAIT_SECONDS)) {
    throw new UsageError(`--every must be a number of seconds from 1 to 3600, not "${options.every}"`)
  }
  const format = outputFormat(args)
  if (format === 'yaml') throw new UsageError('--watch prints a table or JSON, not YAML')
  const title = `pharos ${action.group.name} ${optionName(action.method)}`
  const settings = { title, everySeconds, isJson: format === 'json', paint, screen: process.stdout, warn }
  // A failure is shown at once, and the next refresh is the retry.
  await untilEnded((signal) => watch(() => read({ signal, maxRetries: 0 }), { ...settings, signal }))
  return undefined
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** All pages in the shape of one. */
async function wholeList(list: List<Row>, query: Row): Promise<Page<Row>> {
  const data = await list.toArray()
  const offset = Number(query.offset ?? 0)
  return { data, pagination: { limit: data.length, offset, total: offset + data.length } }
}

/** What a list contains: "checks" for `/monitors/{monitorId}/checks`, the resources of the group for `/monitor-list`. */
function itemsOf({ name }: Group, { path }: Endpoint): string {
  return /\}\/([\w-]+)$/.exec(path)?.[1] ?? pluralOf(name)
}

function listReport({ group, method, endpoint, operation }: Action, page: Page<Row>, given?: string): Report {
  const { data, pagination } = page
  const schema = itemSchema(operation().answer()) ?? {}
  const { columns: width, isTTY } = process.stdout
  const usual = columnsFor(group, method, data, schema)
  const chosen = given === undefined ? usual : namedColumns(given, usual, schema)
  // Elsewhere times are absolute: a script may read them later, and --watch prints what has changed.
  const rows = displayRows(chosen, data, schema, isTTY ? relativeTime : undefined, isTTY ? width : undefined)
  const lines = isTTY ? rows.split('\n').map((line) => fittedLine(line, width)) : [rows]
  return {
    text:
      data.length === 0
        ? `No ${itemsOf(group, endpoint)} found`
        : [...lines, ...partNote(data.length, pagination.total)].join('\n'),
    json: page,
  }
}
