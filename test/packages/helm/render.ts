import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/ports.ts'

const DEFINITION = /^\{\{- define "([\w.]+)" -\}\}\n(.*?)^\{\{- end \}\}$/gms

/**
 * Renders a chart like `helm template`. Debian has no Helm, but Caddy has the same template engine, Go's, and the same functions,
 * Sprig's. It includes files: each definition becomes one, with the data as its argument. YAML may be written as JSON.
 */
export async function renderChart(chart: string, data: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-chart-'))
  try {
    const write = (name: string, template: string) => {
      const text = template.replaceAll('toYaml', 'toJson').replaceAll(/\$(?=[ })])/g, '(index $.Args 0)')
      writeFileSync(join(folder, name), `{{- with index .Args 0 }}${text}{{ end }}`)
    }
    const files = globSync('templates/**/*.{tpl,yaml}', { cwd: chart }).sort()
    for (const file of files) {
      const text = readFileSync(join(chart, file), 'utf8')
      for (const [, name = '', body = ''] of text.matchAll(DEFINITION)) write(name, body.trim())
      if (file.endsWith('.yaml')) write(basename(file), text)
    }
    writeFileSync(join(folder, 'data.json'), JSON.stringify(data))
    const names = files.map((file) => basename(file)).filter((name) => name.endsWith('.yaml'))
    const includes = names.map((name) => `---\n{{ include "${name}" (fromJson (include "data.json")) }}\n`)
    writeFileSync(join(folder, 'chart.txt'), includes.join(''))
    return await servedText(folder, 'chart.txt')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function servedText(folder: string, file: string): Promise<string> {
  const port = await freePort()
  mkdirSync(join(folder, 'home'))
  const args = ['file-server', '--templates', '--root', folder, '--listen', `127.0.0.1:${port}`]
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home') }
  const caddy = spawn('caddy', args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  caddy.stderr.on('data', (chunk) => (output += chunk))
  try {
    const response = await eventually(() => fetch(`http://127.0.0.1:${port}/${file}`))
    assert.equal(response.status, 200, output)
    return await response.text()
  } finally {
    caddy.kill()
    await once(caddy, 'close')
  }
}
