import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Pharos } from '../../../clients/typescript/src/index.ts'
import { apiCommands } from '../../../src/cli/api/commands.ts'
import { findCommand } from '../../../src/cli/find-command.ts'
import { parseArguments } from '../../../src/cli/parse-arguments.ts'
import { sampleRequest, samples } from '../../../src/server/reference/code-samples.ts'
import { modelOf } from '../../../src/server/reference/model.ts'
import { answer, startScriptedServer } from '../../clients/scripted-server.ts'

const { operations } = modelOf(JSON.parse(readFileSync('openapi.json', 'utf8')))
// Uploads are shown for curl only.
const cases = operations
  .filter(({ isUpload }) => !isUpload)
  .flatMap((operation) =>
    (operation.body?.examples ?? [{ value: undefined }]).map(({ value }) => ({ operation, body: value as unknown })),
  )

type Case = (typeof cases)[number]

/** Runs a sample against a server that answers with the example, and compares its request with that of curl. */
async function requestsLikeCurl(
  { operation, body }: Case,
  run: (request: ReturnType<typeof sampleRequest>) => unknown,
): Promise<void> {
  const { id, method, success } = operation
  const type = { 'content-type': success.type }
  await using server = await startScriptedServer(answer(Number(success.status), success.example, type))
  const request = sampleRequest(operation, server.url, body)
  await run(request)
  assert.equal(server.received.length, 1, id)
  const [received] = server.received
  assert.deepEqual([received?.method, `${server.url}${received?.path}`], [method, request.url], id)
  assert.deepEqual(JSON.parse(received?.body || '{}'), body ?? {}, id)
}

test('every operation shows a call of the client that sends the same request as curl', async () => {
  for (const each of cases) {
    await requestsLikeCurl(each, async (request) => {
      const code = samples.typescript(request)?.replace(/^import .*\n/, '') ?? assert.fail(each.operation.id)
      const environment = { env: { PHAROS_API_KEY: 'phr_x' } }
      await new Function('Pharos', 'process', 'console', `return (async () => {${code}})()`)(Pharos, environment, {
        log: () => {},
      })
    })
  }
})

test('every operation shows a command that sends the same request as curl', async () => {
  for (const each of cases) {
    await requestsLikeCurl(each, async (request) => {
      const line = samples.cli(request) ?? assert.fail(each.operation.id)
      const printed = execFileSync('sh', ['-c', line.replace(/^pharos/, "printf '%s\\0'")], { encoding: 'utf8' })
      const found = findCommand(apiCommands, printed.split('\0').slice(0, -1))
      assert.ok(found.do === 'run', line)
      const yes = found.command.options?.yes === undefined ? [] : ['--yes']
      const args = parseArguments(found.command, [...found.argv, ...yes])
      await found.command.call({ PHAROS_URL: request.baseUrl, PHAROS_API_KEY: 'phr_x' }, args)
    })
  }
})
