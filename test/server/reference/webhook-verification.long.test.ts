import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newSecret, signingKey } from '../../../src/notifications/webhooks/secret.ts'
import { signedHeaders } from '../../../src/notifications/webhooks/sign.ts'

const guides = join(import.meta.dirname, '../../../src/server/reference/guides')
const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test', data: { name: 'Überwachung' } })

interface Request {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function signed(secondsAgo = 0): Request {
  const [old, secret] = [newSecret(), newSecret()]
  const at = Math.floor(Date.now() / 1000) - secondsAgo
  return { secret, headers: signedHeaders([signingKey(old), signingKey(secret)], 'evt_1', at, body), body }
}

/** Programs that read a request as JSON from standard input, verify it with the code of the guide, and print `verified`. */
const programs: Readonly<
  Record<string, { readonly command: string; readonly run: (folder: string, input: string) => string }>
> = {
  'verify.js': {
    command: process.execPath,
    run: (folder, input) => {
      const code = `import { verify } from './verify.js'
let text = ''
for await (const chunk of process.stdin) text += chunk
const { secret, headers, body } = JSON.parse(text)
if (verify(secret, headers, Buffer.from(body)).id === 'evt_1') process.stdout.write('verified')`
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      writeFileSync(join(folder, 'main.js'), code)
      return execFileSync(process.execPath, [join(folder, 'main.js')], { input, encoding: 'utf8', stdio: 'pipe' })
    },
  },
  'verify.py': {
    command: 'python3',
    run: (folder, input) => {
      const code = `import json, sys
from verify import verify
request = json.load(sys.stdin)
event = verify(request["secret"], request["headers"], request["body"].encode())
print("verified" if event["id"] == "evt_1" else "", end="")`
      writeFileSync(join(folder, 'main.py'), code)
      return execFileSync('python3', [join(folder, 'main.py')], { input, encoding: 'utf8', stdio: 'pipe' })
    },
  },
  'verify.go': {
    command: 'go',
    run: (folder, input) => {
      const code = `package pharos
import ("encoding/json"; "net/http"; "os"; "testing")
func TestVerify(t *testing.T) {
	var request struct { Secret string; Headers map[string]string; Body string }
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil { t.Fatal(err) }
	header := http.Header{}
	for name, value := range request.Headers { header.Set(name, value) }
	if err := Verify(request.Secret, header, []byte(request.Body)); err != nil { t.Fatal(err) }
	os.Stdout.WriteString("verified")
}`
      writeFileSync(join(folder, 'go.mod'), 'module pharos\n')
      writeFileSync(join(folder, 'verify_test.go'), code)
      const env = {
        ...process.env,
        GOCACHE: join(folder, 'cache'),
        GOFLAGS: '-mod=mod',
        GOTOOLCHAIN: 'local',
        GO111MODULE: 'on',
      }
      execFileSync('go', ['test', '-c', '-o', join(folder, 'program')], { cwd: folder, env, stdio: 'pipe' })
      const { stdout, status } = spawnSync(join(folder, 'program'), { input, encoding: 'utf8' })
      if (status !== 0) throw new Error(stdout)
      return stdout.includes('verified') ? 'verified' : stdout
    },
  },
  'verify.php': {
    command: 'php',
    run: (folder, input) => {
      const code = `<?php require __DIR__ . '/verify.php';
$request = json_decode(stream_get_contents(STDIN), true);
$event = verify($request['secret'], $request['headers'], $request['body']);
echo $event['id'] === 'evt_1' ? 'verified' : '';`
      writeFileSync(join(folder, 'main.php'), code)
      return execFileSync('php', [join(folder, 'main.php')], { input, encoding: 'utf8', stdio: 'pipe' })
    },
  },
}

for (const [file, { command, run }] of Object.entries(programs)) {
  const { error } = spawnSync(command, [command === 'go' ? 'version' : '--version'])
  test(`the code of ${file} accepts a signed request and refuses an old, a changed and an unsigned one`, {
    skip: error === undefined ? false : `${command} is not installed`,
  }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-verify-'))
    try {
      copyFileSync(join(guides, file), join(folder, file))
      const verify = (request: Request): string => run(folder, JSON.stringify(request))
      assert.equal(verify(signed()), 'verified')
      assert.throws(() => verify(signed(301)))
      assert.throws(() => verify({ ...signed(), body: body.replace('test', 'fake') }))
      assert.throws(() => verify({ ...signed(), secret: newSecret() }))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
